import { describe, expect, it } from 'vitest';
import { ScriptedEnvironment } from '../../src/policy_tests/scripted_environment.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aFrame } from './support.ts';

/** The channel of a case as its probes see it. */
function seen(probes: object, effect?: string) {
  const { clock, advance } = fakeClock();
  const { channel, given } = aFrame({ probes, ...(effect && { effect }) });
  const environment = new ScriptedEnvironment({ channel, given }, clock);
  const look = (kind: string) =>
    environment.samples().find((sample) => sample.kind === kind) as Readonly<Record<string, unknown>> | undefined;
  return { environment, look, advance };
}

describe('a channel of a case', () => {
  it('is well until the trouble begins, and then as the case says', () => {
    const { environment, look } = seen({ process: 'exited', exit_code: 139 });
    expect(look('process')).toMatchObject({ state: 'running', pid: 1_001, exitCode: undefined, uptimeMs: 3_600_000 });
    environment.fail();
    expect(look('process')).toMatchObject({ state: 'exited', pid: undefined, exitCode: 139, uptimeMs: undefined });
  });

  it('that exited is reported with code 1, or with its signal alone', () => {
    const exit = (more: object) => {
      const { environment, look } = seen({ process: 'exited', ...more });
      environment.fail();
      const { exitCode, exitSignal } = look('process')!;
      return [exitCode, exitSignal];
    };
    expect(exit({})).toEqual([1, undefined]);
    expect(exit({ exit_signal: 9, exit_code: 3 })).toEqual([undefined, 9]);
    expect(exit({ exit_code: 0 })).toEqual([0, undefined]);
  });

  it('that is halted still runs, and uses no processor', () => {
    const { environment, look } = seen({ process: 'halted' });
    expect(look('process')).toMatchObject({ halted: false, cpuMs: 3_600_000 });
    environment.fail();
    expect(look('process')).toMatchObject({ state: 'running', halted: true, cpuMs: 0 });
  });
});

describe('its output', () => {
  it('moves on with each segment of two seconds, and not before', async () => {
    const { look, advance } = seen({});
    const revision = () => look('playlist')!.revision;
    const first = revision();
    await advance(1_999);
    expect(revision()).toBe(first);
    await advance(1);
    expect(revision()).not.toBe(first);
  });

  it.each([{ output: 'still' }, { process: 'exited' }, { process: 'halted' }])('stands with %j', async (probes) => {
    const { environment, look, advance } = seen(probes);
    environment.fail();
    const { revision } = look('playlist')!;
    await advance(60_000);
    expect(look('playlist')).toMatchObject({ ok: true, revision });
  });

  it('is not found where it is missing, and not looked at where no probe is configured', () => {
    const { environment, look } = seen({ output: 'missing' });
    environment.fail();
    expect(look('playlist')).toMatchObject({ ok: false, status: 404 });
    expect(seen({ output: 'unwatched' }).look('playlist')).toBeUndefined();
  });
});

describe('its source', () => {
  it.each([
    ['ok', { ok: true, status: 200 }],
    ['refused', { ok: false, failure: 'refused' }],
    ['timeout', { ok: false, failure: 'timeout' }],
    ['unauthorised', { ok: false, failure: 'http_status', status: 401 }],
    ['not_found', { ok: false, failure: 'http_status', status: 404 }],
    ['rate_limited', { ok: false, failure: 'http_status', status: 429 }],
  ])('is found %s once the trouble begins', (source, found) => {
    const { environment, look } = seen({ source });
    expect(look('source')).toMatchObject({ ok: true });
    environment.fail();
    expect(look('source')).toMatchObject({ ...found, channel: 'news' });
  });

  it('is not looked at where no probe is configured', () => {
    expect(seen({ source: 'unwatched' }).look('source')).toBeUndefined();
  });
});

describe('a change', () => {
  const afterChange = (effect: string | undefined, channel: string | undefined) => {
    const { environment, look } = seen({ process: 'exited' }, effect);
    environment.fail();
    environment.change(channel);
    return [look('process')!.state, look('process')!.generation];
  };

  it('cures the channel, by a new process where it was started', () => {
    const [, before] = [undefined, seen({}).look('process')!.generation];
    const [state, generation] = afterChange(undefined, 'news');
    expect(state).toBe('running');
    expect(generation).not.toBe(before);
    expect(afterChange('cured', undefined)).toEqual(['running', before]);
  });

  it('of something else than the channel leaves it down where only that works again', () => {
    expect(afterChange('fixed', undefined)[0]).toBe('exited');
    expect(afterChange('fixed', 'news')[0]).toBe('running');
  });

  it('that helps nothing changes nothing', () => {
    expect(afterChange('unchanged', 'news')[0]).toBe('exited');
    expect(afterChange('unchanged', undefined)[0]).toBe('exited');
  });
});
