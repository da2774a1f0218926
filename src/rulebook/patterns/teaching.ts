/** Names troubles that no pattern knows: drafts a pattern from an incident's lines, tries it, and keeps its record. */
import type { Clock, EpochMs } from '../../core/clock.ts';
import type { Incident } from '../../core/incident.ts';
import type { Append, JournalEntry, JournalQuery, PatternState, Read } from '../../core/journal.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import {
  patternFallOf,
  patternMovesOf,
  patternNextOf,
  patternOfferOf,
  patternUplift,
} from '../record/pattern_maturity.ts';
import type { Catalogue } from '../../detect/patterns/catalogue.ts';
import { asBytes } from '../../detect/patterns/own_text.ts';
import { draftPattern, type KnownLine, type PatternDraft, patternText } from '../../detect/patterns/draft.ts';
import { isInUse, isTried, type PatternRecord, type PatternRecords } from '../../detect/patterns/records.ts';
import type { BlindSpot } from '../../detect/templates/blind_spots.ts';
import type { CommandAnswer } from '../../core/command_answer.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { safely } from '../../core/errors.ts';
import { patternFiles, proposedCatalogue, writePatternFile } from './files.ts';

export interface TeachingDeps {
  readonly folder: string;
  readonly clock: Clock;
  readonly append: Append;
  readonly records: Read<PatternRecords>;
  readonly read: (query: JournalQuery) => Iterable<JournalEntry>;
  readonly catalogue: () => Catalogue;
  /** Ids of channels. */
  readonly names: readonly string[];
  /** What is heard has changed: the lines are to be read with the other patterns from now on. */
  readonly onSilenced: () => void;
  /** Pages what goes wrong with what is written down by itself. */
  readonly fail: (text: string) => void;
  readonly unrecognised: (channels: readonly string[], from: EpochMs, until: EpochMs) => readonly BlindSpot[];
}

export interface TeachOrder {
  readonly incident: string;
  readonly symptom: SymptomKind;
  /** Numbers of the incident's lines, from 1. */
  readonly lines: readonly number[];
  /** False: nothing is written. */
  readonly write: boolean;
  readonly who: string;
}

interface Fitted {
  readonly pattern: string;
  readonly channel: string | undefined;
  readonly lines: number;
}

/** A line of an incident that nothing recognised. */
export interface TeachLine {
  readonly text: string;
  readonly count: number;
  readonly channel: string | undefined;
}

const LINES_MAX = 20;
const HISTORY_MAX = 5_000;
const BEFORE_MS = 5 * MINUTE_MS;
const AFTER_MS = MINUTE_MS;
const SHOWN_MAX = 10;
const SHADOW_EVERY_MS = MINUTE_MS;

/** `full`: as any. `trial`: what rests on it alone is asked about. `none`: it is not heard. */
export type PatternTrust = 'full' | 'trial' | 'none';

/** One daemon's teaching. */
export class Teaching {
  readonly #deps: TeachingDeps;
  /** Compiled proposals that are on trial. */
  #trial: Catalogue = { patterns: [] };
  /** Lines that each fitted since the last record, by pattern and channel. */
  readonly #fitted = new Map<string, Fitted>();

  /** Before the journal is open nothing is known of any pattern. */
  #isOpen = false;

  constructor(deps: TeachingDeps) {
    this.#deps = deps;
  }

  /** After the journal is open. Lines that were fitted are written down once a minute. */
  start(): Disposable {
    this.#isOpen = true;
    this.#refresh();
    if (this.#deps.records().records.some(({ state }) => !isInUse(state) && !isTried(state))) this.#deps.onSilenced();
    const noteDown = (): void => {
      this.#record();
      this.judge();
    };
    return this.#deps.clock.every(SHADOW_EVERY_MS, () => safely('patterns on trial', noteDown, this.#deps.fail));
  }

  /** A line that no pattern in force recognises. */
  heard(text: string, channel?: string): void {
    for (const { id: pattern, find } of this.#trial.patterns) {
      if (find(asBytes(text)) === undefined) continue;
      const key = `${pattern}/${channel ?? ''}`;
      this.#fitted.set(key, { pattern, channel, lines: (this.#fitted.get(key)?.lines ?? 0) + 1 });
    }
  }

  /** Whether a proposal on trial fits this line. */
  isTried(text: string): boolean {
    return this.#trial.patterns.some(({ find }) => find(asBytes(text)) !== undefined);
  }

  /** How far a pattern of the configuration is trusted: one whose record fell stands there and is no longer heard. */
  trustIn(pattern: string): PatternTrust {
    const state = this.#isOpen ? this.#recordOf(pattern)?.state : undefined;
    if (state === 'demoted' || state === 'retired') return 'none';
    // One on trial may lie in the configuration before its promotion is written down.
    return state === 'staging' || (state !== undefined && isTried(state)) ? 'trial' : 'full';
  }

  /** To be subscribed to the journal: what a call came to is held against the patterns that it rested on. */
  onEntry({ fact }: JournalEntry): void {
    if (fact.type === 'attempt.scored') this.judge();
  }

  /** Takes out of use what its record speaks against. */
  judge(): void {
    const fallen = this.#deps.records().records.flatMap((record) => {
      const because = patternFallOf(record);
      return because === undefined ? [] : [{ record, because }];
    });
    if (fallen.length === 0) return;
    this.#deps.append(
      fallen.map(({ record: { pattern: id, sha256, state }, because }) =>
        stateSet({ id, sha256, to: isInUse(state) ? 'demoted' : 'retired', who: 'reeve', because }),
      ),
    );
    this.#refresh();
    if (fallen.some(({ record }) => isInUse(record.state))) this.#deps.onSilenced();
  }

  /** Each proposal with its file, its state and what it has fitted. */
  views(): readonly unknown[] {
    return patternFiles(this.#deps.folder).map((file) => ({ ...file, ...shownOf(this.#recordOf(file.id)) }));
  }

  /** Lines of an incident that nothing recognised, most frequent first; undefined for an incident that is not known. */
  linesOf(incident: string): readonly TeachLine[] | undefined {
    const entries = [...this.#deps.read({ incident })];
    const opened = entries.flatMap(({ fact }) => (fact.type === 'incident.opened' ? [fact.incident] : []))[0];
    if (opened === undefined) return undefined;
    const closed = entries.find(({ fact }) => fact.type === 'incident.closed');
    return this.#unrecognised(opened, closed?.at ?? this.#deps.clock.now());
  }

  /** Drafts a pattern from lines of an incident, says what it would have matched, and writes it where that is asked. */
  teach(order: TeachOrder): CommandAnswer {
    const lines = this.linesOf(order.incident);
    if (lines === undefined) return unknown(`there is no incident ${order.incident}`, 'reeve incidents lists them');
    if (lines.length === 0) {
      const hint = 'Only lines that nothing recognises can be named, as long as Reeve remembers them.';
      return no(`no line around ${order.incident} was left unrecognised`, hint);
    }
    const chosen = order.lines.map((number) => lines[number - 1]?.text);
    const missing = chosen.indexOf(undefined);
    if (missing >= 0) return no(`there is no line ${order.lines[missing]}: there are ${lines.length}`);
    return this.propose({ ...order, texts: chosen.filter((text) => text !== undefined), shown: lines });
  }

  /** The same from given texts: how a model's naming comes in. */
  propose(
    order: Omit<TeachOrder, 'lines'> & { readonly texts: readonly string[]; readonly shown: readonly TeachLine[] },
  ) {
    const { folder, names, catalogue } = this.#deps;
    const taken = patternFiles(folder).map(({ id }) => id);
    const asked = { lines: order.texts, symptom: order.symptom, names, catalogue: catalogue(), taken };
    const drafted = draftPattern({ ...asked, history: this.#history(order.shown) });
    if (!drafted.ok) return no(`no pattern can be made of it: ${drafted.because}`, 'choose another line, or several');
    const { draft } = drafted;
    const by = `proposed by ${order.who} from ${order.incident}`;
    const text = patternText(draft.document, [by, 'reeve patterns promote copies it into the configuration']);
    const more = { ...draftView(draft, order.shown), text };
    if (draft.clashes.length > 0) {
      const [first] = draft.clashes;
      const because = `it would also match ${draft.clashes.length} lines that say something else: ${first!.symptom}`;
      return { ...no(because, 'choose a line with more words of its own, or give several'), more };
    }
    if (!order.write) return { ok: true as const, said: `${draft.id} is sound; nothing was written`, more };
    const { id, sha256, file } = writePatternFile(folder, draft.id, text);
    this.#deps.append([stateSet({ id, sha256, to: 'proposed', who: order.who, because: `from ${order.incident}` })]);
    this.#refresh();
    return { ok: true as const, said: `wrote ${file}`, more: { ...more, file } };
  }

  /** A person has copied the file, or wants no more of it. */
  setState(order: { readonly id: string; readonly to: PatternState; readonly who: string; readonly because: string }) {
    const found = patternFiles(this.#deps.folder).find(({ id }) => id === order.id);
    if (found === undefined)
      return unknown(`there is no proposed pattern ${order.id}`, 'reeve patterns list names them');
    const record = this.#recordOf(order.id) ?? { state: 'proposed' as const, namedBy: order.who };
    const to = order.to === 'promoted' ? (patternNextOf(record) ?? 'production') : order.to;
    if (record.state === to) return no(`${order.id} is ${to} already`);
    const moves = patternMovesOf(record);
    if (!moves.includes(to))
      return no(`${order.id} is in ${record.state}; from there it may go to ${moves.join(', ')}, not to ${to}`);
    const before = this.trustIn(order.id);
    this.#deps.append([stateSet({ ...order, to, sha256: found.sha256 })]);
    this.#refresh();
    if ((before === 'none') !== (this.trustIn(order.id) === 'none')) this.#deps.onSilenced();
    return { ok: true as const, said: `${order.id} is in ${to}` };
  }

  #recordOf(pattern: string): PatternRecord | undefined {
    return this.#deps.records().records.find((record) => record.pattern === pattern);
  }

  /** What is on trial: every sound proposal that is neither promoted nor retired. Its trial begins here. */
  #refresh(): void {
    const { patterns } = proposedCatalogue(this.#deps.folder);
    const sound = new Set(patterns.map(({ id }) => id));
    const begun = patternFiles(this.#deps.folder).flatMap(({ id, sha256 }) => {
      const { state, sha256: known } = this.#recordOf(id) ?? {};
      const isNew = state === undefined || state === 'proposed' || (state === 'shadow' && known !== sha256);
      if (!isNew || !sound.has(id)) return [];
      return [stateSet({ id, sha256, to: 'shadow', who: 'reeve', because: 'its file is sound' })];
    });
    if (begun.length > 0) this.#deps.append(begun);
    this.#trial = { patterns: patterns.filter(({ id }) => isTried(this.#recordOf(id)?.state ?? 'retired')) };
  }

  #record(): void {
    const drafts = [...this.#fitted.values()].flatMap(({ pattern, channel, lines }) => {
      const record = this.#recordOf(pattern);
      return record === undefined
        ? []
        : [{ channel, fact: { type: 'pattern.shadowed', pattern, sha256: record.sha256, lines } as const }];
    });
    if (drafts.length > 0) this.#deps.append(drafts);
    this.#fitted.clear();
  }

  #unrecognised({ scope, channels, openedAt }: Incident, until: EpochMs): readonly TeachLine[] {
    const about = scope.kind === 'channel' ? [scope.id] : channels;
    const spots = this.#deps.unrecognised(about, openedAt - BEFORE_MS, until + AFTER_MS);
    const own = (channel: string | undefined): number => (channel === undefined ? 1 : 0);
    const sorted = [...spots].sort((a, b) => own(a.channel) - own(b.channel) || b.total - a.total);
    return sorted.slice(0, LINES_MAX).map(({ sample, total, channel }) => ({ text: sample, count: total, channel }));
  }

  /** What a pattern that fell has called a line says nothing of the line. */
  #isSound(pattern: string | undefined): boolean {
    return pattern === undefined || this.trustIn(pattern) !== 'none';
  }

  /** Newest first: what the journal holds of lines, and the lines around the incident itself. */
  #history(shown: readonly TeachLine[]): readonly KnownLine[] {
    const raised = this.#deps.read({ types: ['symptom.raised'], newestFirst: true, limit: HISTORY_MAX });
    const heard = [...raised].flatMap(({ fact }) =>
      fact.type === 'symptom.raised' && fact.symptom.origin === 'log' && this.#isSound(fact.symptom.pattern)
        ? fact.symptom.evidence.map(({ text }) => ({ text, symptom: fact.symptom.kind }))
        : [],
    );
    return [...heard, ...shown.map(({ text }) => ({ text, symptom: 'unknown' as const }))];
  }
}

const no = (because: string, hint?: string) => ({ ok: false as const, because, hint });

/** As every command answers where there is nothing of the name. */
const unknown = (because: string, hint: string) => ({ ...no(because, hint), code: 'target_unknown' as const });

function stateSet(set: { id: string; sha256: string; to: PatternState; who: string; because: string }) {
  const { id: pattern, sha256, to, who, because } = set;
  return { fact: { type: 'pattern.state_set', pattern, sha256, to, who, because } as const };
}

const shownOf = (record: PatternRecord | undefined) => ({
  state: record?.state ?? 'proposed',
  next: (record && patternNextOf(record)) ?? null,
  moves: record === undefined ? [] : patternMovesOf(record),
  who: record?.who ?? null,
  because: record?.because ?? null,
  shadowed: record?.shadowed ?? 0,
  record: record === undefined ? null : countsOf(record),
  offer: (record && patternOfferOf(record)) ?? null,
});

const countsOf = (record: PatternRecord) => {
  const { treated, control, incidents, aimless, harms, namedBy } = record;
  return { namedBy, treated, control, incidents, aimless, harms, uplift: patternUplift(record) };
};

const draftView = ({ id, symptom, regex, fits, clashes }: PatternDraft, lines: readonly TeachLine[]) => ({
  ...{ id, symptom, regex, lines },
  wouldMatch: { lines: fits.length, examples: fits.slice(0, SHOWN_MAX), clashes: clashes.slice(0, SHOWN_MAX) },
});
