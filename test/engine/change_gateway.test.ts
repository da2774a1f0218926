import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { ReeveError } from '../../src/core/errors.ts';
import { createChangeGateway } from '../../src/engine/change_gateway.ts';
import { createTransport } from '../../src/resilience/transport.ts';
import { aContext } from '../support/engine_parts.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

describe('the change gateway', () => {
  const setUp = () => {
    const door = createChangeGateway(createTransport('e/change', { timeoutMs: 5_000 }, systemClock));
    const ran: string[] = [];
    const pass = (target: string, permit: string, fence: number, once = true) =>
      outcome(door.run({ target, context: aContext({ permit, fence }), once }, async () => ran.push(permit)));
    return { pass, ran };
  };

  it('lets no older fence through, target by target', async () => {
    const { pass, ran } = setUp();
    await pass('a', 'p1', 7);
    await pass('a', 'p2', 6);
    await pass('b', 'p3', 6);
    await pass('a', 'p4', 7);
    await pass('a', 'p5', Number.NaN);
    expect(ran).toEqual(['p1', 'p3', 'p4']);
  });

  it('lets a permit through once where twice does harm', async () => {
    const { pass, ran } = setUp();
    for (const permit of ['p1', 'p1', 'p2']) await pass('a', permit, 1);
    for (const permit of ['p3', 'p3']) await pass('a', permit, 1, false);
    expect(ran).toEqual(['p1', 'p2', 'p3', 'p3']);
  });
});
