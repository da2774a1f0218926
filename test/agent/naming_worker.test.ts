import { describe, expect, it } from 'vitest';
import { NamingWorker } from '../../src/agent/naming_worker.ts';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { anIncident } from '../support/a.ts';
import { scriptedModel } from '../support/scripted_model.ts';

const LINES = ['zorble matrix desync in stage two', 'all is well'];

describe('after an incident', () => {
  const entry = (fact: JournalFact): JournalEntry => ({ seq: 1, at: 0, monoMs: 0, boot: 'b', incident: 'inc-1', fact });
  const closed: JournalFact = { type: 'incident.closed', ending: 'resolved', because: 'x', openMs: 1 };

  function worker(classification: 'unknown' | 'upstream_unavailable', wanted = true) {
    const model = scriptedModel(() => '{"symptom":"stalled_output","lines":[1]}');
    const proposed: unknown[] = [];
    const naming = new NamingWorker({
      model,
      wanted: () => wanted,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      teaching: {
        isTried: () => false,
        linesOf: () => LINES.map((text) => ({ text, count: 3, channel: 'news' })),
        propose: (order) => {
          proposed.push(order);
          return { ok: true, said: 'wrote it', more: {} as never };
        },
      },
    });
    const live = async (): Promise<void> => {
      naming.onEntry(entry({ type: 'incident.opened', incident: anIncident({ id: 'inc-1', classification }) }));
      naming.onEntry(entry(closed));
      await naming.idle;
    };
    return { model, proposed, live, naming };
  }

  it('that nothing explained, its lines are named and a pattern is proposed in the name of the model', async () => {
    const { proposed, live } = worker('unknown');
    await live();
    expect(proposed).toMatchObject([
      { incident: 'inc-1', symptom: 'stalled_output', texts: [LINES[0]], who: 'model test/scripted', write: true },
    ]);
  });

  it('about the same lines a model is asked three times, and anew after a pattern has fallen', async () => {
    const { model, live, naming } = worker('unknown');
    await live();
    await live();
    await live();
    await live();
    expect(model.asked).toHaveLength(3);
    const because = '5 calls without a cure rested on it';
    naming.onEntry(
      entry({ type: 'pattern.state_set', pattern: 'p', sha256: 's', to: 'demoted', who: 'reeve', because }),
    );
    await live();
    expect(model.asked).toHaveLength(4);
  });

  it('whose cause is known, or where it is not wanted, no model is asked', async () => {
    for (const { model, live } of [worker('upstream_unavailable'), worker('unknown', false)]) {
      await live();
      expect(model.asked).toEqual([]);
    }
  });
});
