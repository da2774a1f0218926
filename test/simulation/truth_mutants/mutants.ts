/** A Reeve that deceives itself: its journal is in order, and only the service shows that a law is broken. */
export interface TruthMutant {
  readonly name: string;
  /** What the oracle that finds it says; no other oracle may find anything. */
  readonly law: string;
  readonly says: RegExp;
  readonly edit: readonly [file: string, find: string, replace: string];
  readonly scene: TruthSceneName;
}

export const TRUTH_SCENES = [
  ...(['others', 'spaced', 'set_back', 'journal_busy', 'unwritten', 'full_disk', 'asleep_while_down'] as const),
  ...(['rot', 'rot_before_a_restart', 'rot_of_an_old_record', 'two_reeves'] as const),
] as const;
export type TruthSceneName = (typeof TRUTH_SCENES)[number];

export const TRUTH_MUTANTS: readonly TruthMutant[] = [
  {
    name: 'starts of others are not written down',
    law: 'S2',
    says: /of the window, by the service's own list/,
    edit: [
      'src/incident/pipeline/starts.ts',
      "deps.append([{ channel, fact: { type: 'start.observed'",
      "if (origin === 'reeve') deps.append([{ channel, fact: { type: 'start.observed'",
    ],
    scene: 'others',
  },
  {
    name: 'a refusal is asked about again a quarter of a minute late',
    law: 'L5',
    says: /not asked about again/,
    edit: [
      'src/incident/lifecycle/transitions.ts',
      'return lastEndedMs + (last.retryAfterMs ?? WATCH_RETRY_MS);',
      'return lastEndedMs + (last.retryAfterMs ?? WATCH_RETRY_MS) + 15_000;',
    ],
    scene: 'spaced',
  },
  {
    name: 'a journal that was set back is taken for a whole one',
    law: 'S9',
    says: /although the journal was set back/,
    edit: [
      'src/control/held_phase.ts',
      'if (configured < HELD_FROM || !(isEmpty || setBack !== undefined)) return [];',
      'if (configured < HELD_FROM || !isEmpty) return [];',
    ],
    scene: 'set_back',
  },
  {
    name: 'the time since the copy was made counts as passed',
    law: 'T2',
    says: /have passed for a Reeve whose journal was set back/,
    edit: ['src/journal/ledger.ts', 'store.last(), options.isSetBack)', 'store.last())'],
    scene: 'set_back',
  },
  {
    name: 'a ledger goes on in memory when the disk takes nothing',
    law: 'S14',
    says: /the disk has no record that it began/,
    edit: [
      'src/journal/ledger.ts',
      'this.#writing(() => this.#store.append(rows));',
      'try { this.#store.append(rows); } catch {}',
    ],
    scene: 'unwritten',
  },
  {
    name: 'a page that cannot be written down is not sent',
    law: 'L1',
    says: /no person was told that the journal cannot be written/,
    edit: [
      'src/escalate/dispatcher.ts',
      "this.#applyUnjournaled({ type: 'escalation.raised', escalation: { ...escalation, key } });",
      'void key;',
    ],
    scene: 'journal_busy',
  },
  {
    name: 'nobody is told who goes down while the disk takes nothing',
    law: 'L6',
    says: /is down for \d+ ms and no page, run or hold names it/,
    edit: [
      'src/incident/assembly.ts',
      "isNeeded: () => ledger.broken?.kind === 'unwritable',",
      'isNeeded: () => false,',
    ],
    scene: 'full_disk',
  },
  {
    name: 'a sleep between two processes of Reeve is not seen',
    law: 'T3',
    says: /was used \d+ ms after its time, \d+ of them asleep/,
    edit: [
      'src/guard/clock_watch.ts',
      "return sleptMs >= SUSPENDED_MS_MIN ? [jumped('suspended', sleptMs)] : [];",
      'return [];',
    ],
    scene: 'asleep_while_down',
  },
  {
    name: 'the first good probe is enough',
    law: 'S8',
    says: /trusts its journal again after it was free for/,
    edit: ['src/journal/recovery.ts', 'const PROBES = 3;', 'const PROBES = 1;'],
    scene: 'journal_busy',
  },
  {
    name: 'a journal that can be written again is never opened anew',
    law: 'L2',
    says: /nothing is written although the journal is free/,
    edit: ['src/journal/recovery.ts', "broken()?.kind !== 'unwritable'", "broken()?.kind !== 'chain'"],
    scene: 'journal_busy',
  },
  {
    name: 'a journal that was found broken takes snapshots as before',
    law: 'S14',
    says: /a snapshot was taken of a journal that was found broken/,
    edit: ['src/journal/ledger.ts', "return this.#broken?.kind === 'chain';", 'return false;'],
    scene: 'rot',
  },
  {
    name: 'the guard does not hear what the walk along the chain found',
    law: 'S8',
    says: /although the journal was found broken/,
    edit: [
      'src/incident/assembly.ts',
      'journalBroken: () => ledger.broken?.because,',
      'journalBroken: () => undefined,',
    ],
    scene: 'rot',
  },
  {
    name: 'nobody is told what the walk along the chain found',
    law: 'L1',
    says: /no person was told that a record of the journal has rotted/,
    edit: ['src/journal/housekeeping.ts', 'if (!isWhole) fail(', 'if (false) fail('],
    scene: 'rot',
  },
  {
    name: 'a break is not written down, and the next start begins behind it',
    law: 'S8',
    says: /although the journal was found broken/,
    edit: ['src/journal/ledger.ts', 'if (!this.#opened) return;', 'return;'],
    scene: 'rot_before_a_restart',
  },
  {
    name: 'retention deletes what it has not found whole',
    law: 'S14',
    says: /a rotten record was deleted/,
    edit: ['src/journal/ledger.ts', 'if (!expired.chain.ok) return undefined;', ''],
    scene: 'rot_of_an_old_record',
  },
  {
    name: 'what another has started is taken for dead for another while',
    law: 'S10',
    says: /which had played in view for \d+ ms/,
    edit: [
      'src/incident/pipeline/finding_tracker.ts',
      'const finding = classify(facts, context, nowMs);',
      `const found = classify(facts, context, nowMs);
      const held = this.#channels.get(facts.setup.id);
      const isOwn = facts.process?.starts.at(-1)?.origin === 'reeve';
      const isHeld = !found.trouble && !isOwn && held?.finding.trouble === true && nowMs - held.troubledMs < 60_000;
      const finding = isHeld ? held.finding : found;`,
    ],
    scene: 'two_reeves',
  },
];
