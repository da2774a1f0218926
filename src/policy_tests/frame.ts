/** Settles the defaults of one case. */
import type { FailureClass } from '../core/classification.ts';
import type { Phase } from '../core/control.ts';
import { invariant } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import type { Plan } from '../core/plan.ts';
import type { Composite, Rule } from '../core/rule.ts';
import type { Scope } from '../core/scope.ts';
import { type Capability, CAPABILITIES, type ToolName } from '../core/tool.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { createRulebook, type Rulebook } from '../rulebook/rulebook.ts';
import type { Given, PolicyCase, PolicyDocument } from './document.ts';
import { specOf } from '../remediation/catalog.ts';

/** The policy that is tested: what an operator edits. */
export interface PolicySet {
  readonly personas: readonly Persona[];
  readonly rules: readonly Rule[];
  readonly limits: Limits;
  /** What rules of another folder may call by one name; default: nothing. */
  readonly composites?: readonly Composite[];
}

/** Everything that one case fixes, with its defaults settled. */
export interface Frame {
  readonly given: Given;
  readonly persona: Persona;
  readonly phase: Phase;
  readonly settings: Settings;
  /** The channel of the case. */
  readonly channel: ChannelSetup;
  readonly channels: readonly ChannelSetup[];
  readonly engine: EngineSetup & { readonly capabilities: ReadonlySet<Capability> };
  readonly scope: Scope;
  readonly classification: FailureClass | undefined;
  readonly fingerprint: string;
}

const POLL_MS = 1_000;
const STALL_AFTER_MS = 6_000;
const SOURCE_EVERY_MS = 2_000;

/** The persona must exist: whoever reads the files has made sure. */
export function frameOf(one: PolicyCase, file: PolicyDocument, set: PolicySet): Frame {
  const { given } = one;
  const id = personaOf(one, file);
  const persona = set.personas.find((known) => known.id === id);
  invariant(persona !== undefined, `no persona is called ${id}`);
  const phase = given.phase ?? file.phase ?? 4;
  const channel = setupOf(given, given.channel ?? 'news');
  const others = (given.envelope?.channels ?? []).filter((name) => name !== channel.id);
  const { limits, rules } = set;
  const rulebook = given.ask === undefined ? createRulebook(rules) : asking(given.ask);
  return {
    given,
    persona,
    phase,
    settings: { limits, rulebook, personaOf: () => persona, initialPhase: () => phase },
    channel,
    channels: [channel, ...others.map((name) => setupOf(given, name))],
    engine: {
      id: channel.engine,
      pollMs: POLL_MS,
      autorestartGraceMs: POLL_MS,
      hostEveryMs: undefined,
      capabilities: new Set(given.capabilities ?? CAPABILITIES),
    },
    scope: given.envelope?.scope ?? { kind: 'channel', id: channel.id },
    classification: given.envelope?.classification,
    fingerprint: given.envelope?.fingerprint ?? `${given.envelope?.classification ?? ''}|policy test|${channel.id}`,
  };
}

/** The case's own persona, else the file's, else the everyday persona. */
export const personaOf = ({ given }: PolicyCase, file: PolicyDocument): string =>
  given.persona ?? file.persona ?? 'system_admin';

function setupOf(given: Given, id: string): ChannelSetup {
  const engine = given.engine ?? 'local';
  return {
    id,
    group: given.group ?? 'encoders',
    engine,
    expected: 'always',
    hasSource: (given.probes?.source ?? 'unwatched') !== 'unwatched',
    hasOutputProbe: given.probes?.output !== 'unwatched',
    stallAfterMs: STALL_AFTER_MS,
    outputEveryMs: POLL_MS,
    sourceEveryMs: SOURCE_EVERY_MS,
  };
}

/** Instead of the rules: somebody asks for this tool once, whatever is known. */
function asking(tool: ToolName): Rulebook {
  const by = { kind: 'operator', who: 'policy test' } as const;
  return {
    rules: [],
    matchAll: () => [],
    decide({ scope, channels }, attempts): Plan {
      if (attempts.length > 0) return { kind: 'stop', because: 'it was asked for once', by };
      const isStaged = specOf(tool).onMany === 'each_channel' && scope.kind !== 'channel';
      const call = { tool, target: scope, channels: isStaged ? channels : [] };
      return { kind: 'act', call, because: 'the case asks for it', by };
    },
  };
}
