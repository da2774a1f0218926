// Files of a small configuration that is sound.

/** A persona that allows nothing; `cap`: its restart_cap. */
export const persona = (id: string, cap = 0) => `id: ${id}
risk_tolerance: low
aggressiveness: cautious
tool_access_policy: {}
escalation_policy: { on_containment: immediate }
containment_bias: true
operational_mode: diagnostic
restart_cap: ${cap}
planning_depth_max: 0
retry_threshold: 1
`;

export const PERSONA = persona('mine');

export const RULE = 'id: r\ndescription: d\nclassification: unknown\nthen: [{ escalate: true }]\n';

export const CONFIG = 'version: 1\npersona: mine\npersonas: personas\nrules: rules\npatterns: patterns\n';

export const SOUND = {
  'config/reeve.yaml': CONFIG,
  'config/personas/mine.yaml': PERSONA,
  'config/rules/r.rule.yaml': RULE,
  'config/patterns/p.yaml': 'patterns: []\n',
};
