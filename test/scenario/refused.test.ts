import { expect, it } from 'vitest';
import { anIncident } from '../support/a.ts';
import { spineWorld } from '../support/pipeline_harness.ts';

it('a start that was refused because another incident was just closing is asked about again when that has closed', async () => {
  const world = spineWorld();
  await world.live(20_000);
  const incident = anIncident({ id: 'inc-engine', scope: { kind: 'engine', id: 'local' }, engine: 'local' });
  const about = { incident: incident.id };
  world.ledger.append([{ ...about, fact: { type: 'incident.opened', incident } }]);
  const closed = { type: 'incident.closed', ending: 'self_healed', because: 'gone', openMs: 1 } as const;
  let refusals = 0;
  world.ledger.subscribe(({ fact }) => {
    if (fact.type !== 'guard.decided' || fact.decision.verdict !== 'deny') return;
    refusals += 1;
    // Before the run that was refused has written its end.
    if (refusals === 1) queueMicrotask(() => world.ledger.append([{ ...about, fact: closed }]));
  });
  world.engine.kill('news');
  while (refusals === 0) await world.live(250);
  await world.live(10_000);
  expect(world.engine.restarts).toHaveLength(1);
});
