import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { ACTS } from '../../demo/acts.ts';
import { accountOf, tell } from '../../demo/chronicle.ts';
import type { Performance } from '../../demo/perform.ts';
import { openScreen, tableOf } from '../../demo/screen.ts';

let seq = 0;
function entry(fact: unknown, about: Partial<JournalEntry> = {}): JournalEntry {
  seq += 1;
  return { seq, at: 0, monoMs: 0, boot: 'b', fact: fact as JournalFact, ...about };
}
const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'gen1' }, channels: [] };
const opened = (id: string) =>
  entry(
    {
      type: 'incident.opened',
      incident: { id, classification: 'process_crashed', scope: { kind: 'channel', id: 'gen1' } },
    },
    { channel: 'gen1', incident: id },
  );
const closed = (id: string) =>
  entry(
    { type: 'incident.closed', ending: 'resolved', because: 'fresh segments', openMs: 1 },
    { channel: 'gen1', incident: id },
  );

describe('the story', () => {
  it('shows what was seen, concluded, refused, done, verified and paged, and leaves the rest to the trace', () => {
    const symptom = {
      channel: 'gen1',
      kind: 'process_crash',
      origin: 'process',
      evidence: [{ source: 's', text: 'killed' }],
    };
    const denied = { verdict: 'deny', code: 'cooldown', because: '4 s left', trace: [] };
    const facts = [
      { type: 'symptom.raised', symptom },
      { type: 'guard.decided', call: 'restart_channel on channel:gen1', decision: denied, tookMs: 1 },
      { type: 'guard.decided', call: 'x', decision: { verdict: 'allow', trace: [] }, tookMs: 1 },
      { type: 'tool.started', permit: { call } },
      { type: 'attempt.verified', verification: { cured: false, because: 'no new segment' } },
      { type: 'run.started', attempt: 1 },
    ];
    expect(facts.map((fact) => tell(entry(fact, { channel: 'gen1' }))?.beat)).toEqual([
      ...['saw', 'refused', undefined, 'did', 'verified', undefined],
    ]);
    expect(tell(entry(facts[4]))?.text).toBe('NOT cured: no new segment');
  });

  it('is printed once per act, and log text in it cannot steer the terminal', () => {
    const stream = new PassThrough() as unknown as NodeJS.WriteStream;
    const screen = openScreen(stream);
    const symptom = {
      channel: 'a',
      kind: 'disk_full',
      origin: 'log',
      evidence: [{ source: 's', text: 'x\u001b[2Jy\u0007' }],
    };
    screen.begin(ACTS[0]!, '1/1', 0);
    screen.story([entry({ type: 'symptom.raised', symptom }), entry({ type: 'symptom.raised', symptom })], 1_500);
    const text = String((stream as unknown as PassThrough).read());
    expect(text.match(/disk_full/g)).toHaveLength(1);
    expect(text).toContain('+1.5 s');
    expect(text).not.toMatch(/\u001b\[2J|\u0007/);
  });
});

describe('the account of one stretch of trouble', () => {
  it('names the conclusions, the changes, the refusals and what is still open', () => {
    const looking = { tool: 'get_channel_health', target: call.target, channels: [] };
    const account = accountOf([
      opened('inc-1'),
      opened('inc-2'),
      entry({ type: 'incident.reclassified', from: 'process_crashed', to: 'item_churn', because: '' }),
      entry({ type: 'tool.started', permit: { call: looking } }),
      entry({ type: 'tool.started', permit: { call } }),
      entry({ type: 'attempt.verified', verification: { cured: true, because: 'three new segments' } }),
      closed('inc-1'),
    ]);
    expect(account).toEqual({
      classifications: ['process_crashed', 'item_churn'],
      changes: ['restart_channel on channel:gen1'],
      refusals: [],
      pages: 0,
      verified: 'three new segments',
      incidents: ['inc-1', 'inc-2'],
      open: ['inc-2'],
    });
  });

  it('becomes one row of the table, with the wrong endings distinguished', () => {
    const seen = { startsDuring: 1, startsAfter: 0, playingAfterMs: 4_200, pagedAfterMs: undefined, pages: [] };
    const account = accountOf([opened('inc-1'), closed('inc-1')]);
    const played = (ok: boolean): Performance => ({
      ...{ act: ACTS[0]!, seen: () => seen, account: () => account, isOver: () => true, closeBooks: () => {} },
      checks: () => [{ ok, says: '' }],
    });
    const rows = (ok: boolean) => tableOf([played(ok)], []);
    expect(rows(true)).toMatch(
      /gen1 is killed.*process_crashed.*1× restart_channel.*plays 4\.2 s.*fresh segments.*yes/,
    );
    expect(rows(false)).toMatch(/NO$/);
    expect(tableOf([], [[ACTS[1]!, 'no cpulimit']])).toMatch(/gen2.*not played: no cpulimit.*skipped/);
  });
});
