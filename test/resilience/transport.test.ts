import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { InvariantError, ReeveError } from '../../src/core/errors.ts';
import { createTransport, type TransportOptions } from '../../src/resilience/transport.ts';
import { fakeClock } from '../support/fake_clock.ts';

const ok = async () => 'ok';
const down = async () => {
  throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
};
const refused = async () => {
  throw new ReeveError('ENGINE_REFUSED', 'no such channel');
};
const endless = () => new Promise<never>(() => {});
const codeOf = (call: Promise<unknown>) => call.then(() => 'ok').catch((error: unknown) => (error as ReeveError).code);

function setUp(options: Partial<TransportOptions> = {}) {
  const { clock, advance } = fakeClock();
  const transport = createTransport('engine', { timeoutMs: 1_000, callsMin: 5, openMs: 10_000, ...options }, clock);
  const trip = async () => {
    for (let call = 0; call < 5; call += 1) await codeOf(transport.call(down));
  };
  return { clock, advance, transport, trip };
}

describe('deadline', () => {
  it('answers before the deadline and gives up at it, even when the action ignores its signal', async () => {
    const { transport, advance, clock } = setUp();
    const early = transport.call(() => clock.sleep(999));
    const late = codeOf(transport.call(endless));
    await advance(999);
    await expect(early).resolves.toBeUndefined();
    await advance(1);
    expect(await late).toBe('TIMED_OUT');
  });

  it('aborts the action through its signal', async () => {
    const { transport, advance } = setUp();
    let reason: unknown;
    const call = codeOf(
      transport.call((signal) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return endless();
      }),
    );
    await advance(1_000);
    expect(await call).toBe('TIMED_OUT');
    expect(reason).toMatchObject({ code: 'TIMED_OUT', message: 'engine did not answer within 1000 ms' });
  });

  it('takes a deadline of its own for one call', async () => {
    const { transport, advance } = setUp();
    const call = codeOf(transport.call(endless, { timeoutMs: 20 }));
    await advance(20);
    expect(await call).toBe('TIMED_OUT');
  });

  it('leaves no timer behind when the action ends first', async () => {
    const { transport, advance } = setUp();
    await transport.call(ok);
    await advance(60_000);
    expect(transport.counts).toEqual({ calls: 1, failures: 0, turnedAway: 0 });
  });
});

describe('errors', () => {
  it('wraps what is not its own, keeping the cause', async () => {
    const { transport } = setUp({ unreachable: 'RECEIVER_UNREACHABLE' });
    const error = await transport.call(down).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RECEIVER_UNREACHABLE', message: 'engine: connect ECONNREFUSED 127.0.0.1:9' });
    expect((error as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('passes typed errors and bugs through untouched', async () => {
    const { transport } = setUp();
    expect(await codeOf(transport.call(refused))).toBe('ENGINE_REFUSED');
    const bug = new InvariantError('impossible');
    await expect(transport.call(() => Promise.reject(bug))).rejects.toBe(bug);
  });

  it('converts a synchronous throw of the action to a rejection', async () => {
    const { transport } = setUp();
    const call = transport.call(() => {
      throw new Error('at once');
    });
    expect(await codeOf(call)).toBe('ENGINE_UNREACHABLE');
  });
});

describe('breaker', () => {
  it('opens at the fifth failure, not at the fourth, and then does not even run the action', async () => {
    const { transport } = setUp();
    for (let call = 0; call < 4; call += 1) await codeOf(transport.call(down));
    expect(transport.state).toBe('closed');
    await codeOf(transport.call(down));
    expect(transport.state).toBe('open');
    let ran = false;
    const error = await transport
      .call(async () => {
        ran = true;
      })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BREAKER_OPEN', hint: 'The next call may try in 10000 ms.' });
    expect((error as Error).cause).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    expect(ran).toBe(false);
    expect(transport.counts).toEqual({ calls: 5, failures: 5, turnedAway: 1 });
  });

  it('counts timeouts as failures', async () => {
    const { transport, advance } = setUp();
    for (let call = 0; call < 5; call += 1) {
      const late = codeOf(transport.call(endless));
      await advance(1_000);
      expect(await late).toBe('TIMED_OUT');
    }
    expect(transport.state).toBe('open');
  });

  it('does not take a refusal for a failure: the peer answered', async () => {
    const { transport } = setUp();
    for (let call = 0; call < 50; call += 1) expect(await codeOf(transport.call(refused))).toBe('ENGINE_REFUSED');
    expect(transport.state).toBe('closed');
  });

  it('forgets failures that are older than the window', async () => {
    const { transport, advance } = setUp({ windowMs: 60_000 });
    for (let call = 0; call < 4; call += 1) await codeOf(transport.call(down));
    await advance(66_000);
    await codeOf(transport.call(down));
    expect(transport.state).toBe('closed');
  });

  it('admits exactly one probe after the open time, and closes when it succeeds', async () => {
    const { transport, advance, trip, clock } = setUp();
    await trip();
    await advance(9_999);
    expect(await codeOf(transport.call(ok))).toBe('BREAKER_OPEN');
    await advance(1);
    expect(transport.state).toBe('half_open');
    const probe = transport.call(() => clock.sleep(500));
    expect(await codeOf(transport.call(ok))).toBe('BREAKER_OPEN');
    await advance(500);
    await probe;
    expect(transport.state).toBe('closed');
    expect(await codeOf(transport.call(ok))).toBe('ok');
  });

  it('opens again for the full time when the probe fails or hangs', async () => {
    const { transport, advance, trip } = setUp();
    await trip();
    await advance(10_000);
    const hung = codeOf(transport.call(endless));
    await advance(1_000);
    expect(await hung).toBe('TIMED_OUT');
    expect(transport.state).toBe('open');
    await advance(9_999);
    expect(await codeOf(transport.call(ok))).toBe('BREAKER_OPEN');
    await advance(1);
    expect(await codeOf(transport.call(ok))).toBe('ok');
    expect(transport.state).toBe('closed');
  });

  it('is not closed by a call that began before the trip and ends well during the probe', async () => {
    const { transport, advance, trip, clock } = setUp({ timeoutMs: 60_000 });
    const slow = transport.call(() => clock.sleep(10_500));
    await trip();
    await advance(10_000);
    const probe = codeOf(transport.call(endless));
    await advance(500);
    await slow;
    expect(transport.state).toBe('half_open');
    expect(await codeOf(transport.call(ok))).toBe('BREAKER_OPEN');
    await advance(60_000);
    expect(await probe).toBe('TIMED_OUT');
  });

  it('does not count a caller who left, and does not let a probe that was left pass for a success', async () => {
    const { transport, advance, trip } = setUp();
    const leave = async () => {
      const caller = new AbortController();
      const call = transport.call(endless, { signal: caller.signal });
      caller.abort(new ReeveError('TIMED_OUT', 'the run is over'));
      await expect(call).rejects.toThrow('the run is over');
    };
    for (let call = 0; call < 10; call += 1) await leave();
    expect(transport.state).toBe('closed');
    expect(transport.counts.failures).toBe(0);
    await trip();
    for (let call = 0; call < 20; call += 1) await codeOf(transport.call(down));
    expect(transport.state).toBe('open');
    await advance(10_000);
    await leave();
    expect(transport.state).toBe('open');
  });

  it('does not run the action at all for a caller who has left already', async () => {
    const { transport } = setUp();
    await expect(transport.call(ok, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(transport.counts.calls).toBe(0);
  });

  it('owns no timer while it is idle, and answers nothing after its end', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { transport } = setUp();
    await transport.call(ok);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(before);
    transport[Symbol.dispose]();
    const error = await transport.call(ok).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BREAKER_OPEN', message: 'engine was not asked, because it was closed' });
  });

  test.prop([fc.array(fc.tuple(fc.constantFrom('ok', 'down', 'refused'), fc.integer({ min: 0, max: 4_000 })))])(
    'never runs an action while it says that it is open, whatever came before',
    async (steps) => {
      const { transport, advance } = setUp();
      for (const [what, waitMs] of steps) {
        await advance(waitMs);
        const before = transport.state;
        let ran = false;
        const action = async () => {
          ran = true;
          return { ok, down, refused }[what]();
        };
        const code = await codeOf(transport.call(action));
        expect(ran).toBe(before !== 'open');
        if (before === 'half_open') expect(transport.state).toBe(what === 'down' ? 'open' : 'closed');
        if (before === 'open') expect(code).toBe('BREAKER_OPEN');
      }
    },
  );
});
