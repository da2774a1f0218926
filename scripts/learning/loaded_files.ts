/** The rules, patterns and settings of a learning run: those that are shipped, and what is promoted in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { modelPlanner } from '../../src/agent/planner.ts';
import { createPlannerText } from '../../src/classifier/planner_text.ts';
import { SHIPPED } from '../../src/config/document/paths.ts';
import { loadYamlFolder, readYaml } from '../../src/config/files.ts';
import { compiledOf } from '../../src/config/patterns.ts';
import { RULE_SUFFIX, rulesFrom } from '../../src/config/rules.ts';
import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { Rule } from '../../src/core/rule.ts';
import type { Settings } from '../../src/incident/pipeline/settings.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { settingsOf } from '../../src/simulation/settings.ts';
import type { CoreOptions, Ground } from './ground.ts';
import { WITHOUT_RULES } from './troubles.ts';
import type { World } from './world.ts';

type Recalled = readonly string[];

/** What the daemon of a learning run has loaded; `reload` reads it anew, as the daemon does after a promotion. */
export class LoadedFiles {
  readonly scenario: ReturnType<typeof settingsOf>;
  readonly #ground: Ground;
  readonly #recall: (envelope: GroundedContextEnvelope) => Recalled;
  readonly #promotedPatterns: string;
  readonly #shippedRules = shippedRules();
  #promoted: readonly Rule[] = [];
  #patterns: ReturnType<typeof loadYamlFolder>;
  #settings: Settings;

  constructor(options: CoreOptions, ground: Ground, recall: (envelope: GroundedContextEnvelope) => Recalled) {
    this.#ground = ground;
    this.#recall = recall;
    this.scenario = settingsOf(scenarioOf(ground.world, options), {});
    this.#promotedPatterns = join(ground.state, 'patterns.d');
    mkdirSync(this.#promotedPatterns);
    this.#patterns = this.#readPatterns();
    this.#settings = this.#newSettings();
  }

  get patterns(): ReturnType<typeof loadYamlFolder> {
    return this.#patterns;
  }

  get settings(): Settings {
    return this.#settings;
  }

  get rules(): readonly Rule[] {
    return [...this.#shippedRules, ...this.#promoted];
  }

  reload(): void {
    this.#patterns = this.#readPatterns();
    this.#settings = this.#newSettings();
  }

  /** Copies a rule with a person's rights, as `reeve rules promote` does. */
  useRule(text: string): void {
    const file = join(this.#ground.state, `person-${this.#promoted.length}${RULE_SUFFIX}`);
    writeFileSync(file, text);
    const read = rulesFrom([readYaml(file)], [...TOOL_SPECS.values()], []);
    const others = this.#promoted.filter(({ id }) => !read.rules.some((rule) => rule.id === id));
    this.#promoted = [...others, ...read.rules];
  }

  /** Copies a pattern, as `reeve patterns promote` does. */
  usePattern(id: string, text: string): void {
    writeFileSync(join(this.#promotedPatterns, `${id}.yaml`), text);
  }

  #readPatterns(): ReturnType<typeof loadYamlFolder> {
    return [...shippedPatterns(), ...loadYamlFolder(this.#promotedPatterns, '.yaml')];
  }

  #newSettings(): Settings {
    const { learning } = this.#ground;
    const shipped = this.scenario.persona;
    const persona = {
      ...shipped,
      tool_access_policy: { ...shipped.tool_access_policy, rebuild_playout: 'require_evidence' as const },
    };
    return {
      limits: DEFAULT_LIMITS,
      rulebook: createRulebook(this.rules, learning.standingOf),
      planner: this.#planner(),
      personaOf: () => persona,
      initialPhase: () => 4,
    };
  }

  #planner(): Settings['planner'] {
    const { model } = this.#ground;
    if (model === undefined) return undefined;
    const { templateOf } = createPlannerText(compiledOf(this.#patterns).catalogue);
    const planner = modelPlanner({ model, templateOf, recall: this.#recall });
    return { planner, mode: 'after_rules', deadlineMs: 8_000, replyTokensMax: 256 };
  }
}

let shippedOnce: ReturnType<typeof loadYamlFolder> | undefined;
const shippedPatterns = () => {
  shippedOnce ??= loadYamlFolder(resolve(SHIPPED, 'config/patterns'), '.yaml');
  return shippedOnce;
};

const OWN_RULE = `id: guide_waits
description: The guide is renewed within minutes.
classification: guide_stale
priority: 50
then:
  - wait: { escalate_after: 10m }
`;

function shippedRules(): readonly Rule[] {
  const files = loadYamlFolder(resolve(SHIPPED, 'config/rules'), RULE_SUFFIX);
  const { rules } = rulesFrom(files, [...TOOL_SPECS.values()], []);
  const folder = mkdtempSync(join(tmpdir(), 'reeve-learning-rules-'));
  const file = join(folder, `own${RULE_SUFFIX}`);
  writeFileSync(file, OWN_RULE);
  const own = rulesFrom([readYaml(file)], [...TOOL_SPECS.values()], []).rules;
  rmSync(folder, { recursive: true });
  return [...rules.filter(({ classification }) => !WITHOUT_RULES.has(classification)), ...own];
}

function scenarioOf(world: World, { seed, days }: CoreOptions) {
  const channels = [...world.service.channels.values()].map(({ plan }) => plan);
  return {
    seed,
    days,
    channels,
    persona: 'system_admin',
    phase: 4,
    limits: {},
    kinds: [],
    injections: [],
    startCost: false,
  } as const;
}
