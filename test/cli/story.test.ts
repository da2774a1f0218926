import { describe, expect, it } from 'vitest';
import { storyOf, type WireEntry } from '../../src/cli/story.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { toWire } from '../../src/core/wire.ts';
import { anAct, anEnvelope, anIncident, aResult, aSymptom, aVerification, permitTerms } from '../support/a.ts';

const entryOf = (fact: JournalFact, after_ms = 0): WireEntry => ({
  ...{ seq: 1, at: 0, after_ms },
  fact: toWire(fact) as WireEntry['fact'],
});
const told = (...facts: readonly JournalFact[]) =>
  storyOf({ entries: facts.map((fact) => entryOf(fact)) }, (_, text) => text)
    .split('\n')
    .map((line) => line.slice(12));
/** The colour of each line, without that of its time. */
const coloursOf = (...facts: readonly JournalFact[]) => {
  const colours: string[] = [];
  storyOf({ entries: facts.map((fact) => entryOf(fact)) }, (colour, text) => {
    if (colour !== 'gray') colours.push(colour);
    return text;
  });
  return colours;
};
const permit = permitTerms();

describe('the story of an incident', () => {
  it('has one line for each fact, with the time since it began', () => {
    const opened: JournalFact = { type: 'incident.opened', incident: anIncident() };
    const text = storyOf({ entries: [entryOf(opened), entryOf(opened, 12_340)] }, (_, part) => part);
    expect(text.split('\n')).toEqual([
      '    +0.0 s  incident  process_crashed on channel:news',
      '   +12.3 s  incident  process_crashed on channel:news',
    ]);
  });

  it('says where a long one was cut, and how much of it is left out', () => {
    const opened: JournalFact = { type: 'incident.opened', incident: anIncident() };
    const entries = [1, 2, 3].map((seq) => ({ ...entryOf(opened), seq }));
    const text = storyOf({ entries, left_out: 7_000, left_out_after: 2 }, (_, part) => part);
    expect(text.split('\n')[2]).toMatch(/^ +… 7000 records are left out here/);
    expect(text.split('\n')).toHaveLength(4);
    expect(storyOf({ entries, left_out: 0, left_out_after: null }, (_, part) => part)).not.toContain('left out');
  });

  it('says what was seen, planned, permitted, done and verified', () => {
    const denied = { verdict: 'deny', code: 'cooldown', because: 'too soon', retryAfterMs: 1, trace: [] } as const;
    expect(
      told(
        { type: 'symptom.raised', symptom: aSymptom({ at: 0, monoMs: 0 }) },
        { type: 'envelope.taken', envelope: anEnvelope({ failureClassification: undefined, signals: [] }) },
        { type: 'plan.made', plan: anAct() },
        { type: 'guard.decided', call: 'restart_channel', decision: denied, tookMs: 1 },
        { type: 'tool.finished', permit, result: aResult({ ok: false, code: 'TIMED_OUT' }) },
        { type: 'attempt.verified', permit, verification: aVerification({ cured: false }), fingerprint: '' },
      ),
    ).toEqual([
      'symptom   stalled_output from log, 1 in 60 s',
      'envelope  no failure, confidence 0.9; ',
      expect.stringMatching(/^plan {6}restart_channel on channel:news, by .*: a test asks for it$/),
      'guard     refuses (cooldown) restart_channel: too soon',
      'tool      failed (TIMED_OUT) after 100 ms: restarted',
      'verified  NOT cured after 3 s: fresh output of a new process',
    ]);
  });

  it('leaves out what has no line', () => {
    expect(storyOf({ entries: [entryOf({ type: 'run.started', attempt: 1 })] }, (_, text) => text)).toBe('');
  });

  it('shows nothing of others that a terminal would obey', () => {
    const because = 'it plays\u001b[2J\u202e';
    expect(told({ type: 'incident.closed', ending: 'resolved', because, openMs: 1_000 })).toEqual([
      'closed    resolved after 1 s: it plays?[2J?',
    ]);
  });

  it('is red where something failed, green where it was cured, and yellow where a person was called', () => {
    const verified = (cured: boolean): JournalFact => ({
      ...{ type: 'attempt.verified', permit, fingerprint: '' },
      verification: aVerification({ cured }),
    });
    expect(coloursOf(verified(true), verified(false))).toEqual(['green', 'red']);
    expect(coloursOf({ type: 'tool.unknown', permit, because: 'it died' })).toEqual(['red']);
  });
});
