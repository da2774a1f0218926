import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ProcessReading } from '../../../src/core/engine.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { SystemdEngine } from '../../../src/engine/systemd/engine.ts';
import { systemdDocument } from '../../../src/engine/systemd/schema.ts';
import { aContext, engineParts } from '../../support/engine_parts.ts';
import { aJournal, canJournal } from '../../support/journald.ts';
import { type Properties, systemdStandIn } from './stand_in.ts';

const never = new AbortController().signal;

const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

interface Setup {
  readonly document?: object;
  readonly channels?: readonly { readonly id: string; readonly name: string }[];
  readonly timeoutMs?: number;
  readonly changeMs?: number;
  readonly readProcess?: (pid: number) => ProcessReading | undefined;
  readonly sleptMs?: number;
}

function setUp({
  document,
  channels = [{ id: 'news', name: 'news' }],
  readProcess,
  sleptMs = 0,
  ...deadlines
}: Setup = {}) {
  const host = systemdStandIn();
  const { systemctl, journalctl } = host;
  const read = systemdDocument.parse({ id: 'host', kind: 'systemd', systemctl, journalctl, ...document });
  const parts = engineParts({ ...deadlines, readProcess });
  const times = { kernelMs: () => 65_000, sleptMs: () => sleptMs };
  const engine = new SystemdEngine({ document: read, channels, parts, ...times });
  const look = async () => (await engine.observe(never)).processes;
  const stateOf = async (properties: Properties) => {
    host.unit('news.service', properties);
    const [sample] = await look();
    return sample!;
  };
  return { host, engine, look, stateOf };
}

describe('a unit', () => {
  it('that runs has its pid, its invocation as generation, and its age by the clock of the kernel', async () => {
    const { stateOf } = setUp();
    expect(await stateOf({})).toMatchObject({
      channel: 'news',
      state: 'running',
      pid: 4242,
      generation: '0123456789abcdef0123456789abcdef',
      uptimeMs: 60_000,
      stoppedOnPurpose: false,
    });
  });

  it.each<[string, Properties, object]>([
    ['restarts by itself', { ActiveState: 'activating', SubState: 'auto-restart', MainPID: '0' }, { state: 'backoff' }],
    ['is about to', { ActiveState: 'activating', SubState: 'auto-restart-queued' }, { state: 'backoff' }],
    ['starts', { ActiveState: 'activating', SubState: 'start' }, { state: 'starting' }],
    ['reloads', { ActiveState: 'reloading', SubState: 'reload' }, { state: 'running' }],
    ['stops', { ActiveState: 'deactivating', SubState: 'stop-sigterm' }, { state: 'stopping', stoppedOnPurpose: true }],
    [
      'ended by itself, and systemd sees to what it left,',
      {
        ActiveState: 'deactivating',
        SubState: 'stop-sigterm',
        MainPID: '0',
        ExecMainExitTimestampMonotonic: '6000000',
      },
      { state: 'stopping', stoppedOnPurpose: false },
    ],
    [
      'waits for a unit that it needs, to be started after it',
      { ActiveState: 'inactive', SubState: 'dead', Job: '47', MainPID: '0' },
      { state: 'starting', stoppedOnPurpose: false },
    ],
    ['was stopped', { ActiveState: 'inactive', SubState: 'dead' }, { state: 'stopped', stoppedOnPurpose: true }],
    [
      'hit its start limit',
      { ActiveState: 'failed', SubState: 'failed', Result: 'start-limit-hit', ExecMainCode: '1', ExecMainStatus: '1' },
      { state: 'fatal', exitCode: 1, stoppedOnPurpose: false },
    ],
    [
      'hit its start limit after failures, of which it keeps the result',
      {
        ...{ ActiveState: 'failed', SubState: 'failed', Result: 'exit-code', Restart: 'on-failure', NRestarts: '5' },
        ...{ ExecMainExitTimestampMonotonic: '6000000', ActiveExitTimestampMonotonic: '6000993' },
        ...{ ExecMainCode: '1', ExecMainStatus: '1' },
      },
      { state: 'fatal', exitCode: 1, stoppedOnPurpose: false },
    ],
    [
      'failed and is not to be started again',
      {
        ActiveState: 'failed',
        SubState: 'failed',
        Result: 'exit-code',
        Restart: 'no',
        ExecMainCode: '1',
        ExecMainStatus: '187',
      },
      { state: 'exited', exitCode: 187, exitSignal: undefined, stoppedOnPurpose: false },
    ],
    [
      'was killed',
      {
        ActiveState: 'failed',
        SubState: 'failed',
        Result: 'signal',
        Restart: 'no',
        ExecMainCode: '2',
        ExecMainStatus: '9',
      },
      { state: 'exited', exitCode: undefined, exitSignal: 9 },
    ],
    [
      'dumped core',
      {
        ActiveState: 'failed',
        SubState: 'failed',
        Result: 'core-dump',
        Restart: 'no',
        ExecMainCode: '3',
        ExecMainStatus: '11',
      },
      { state: 'exited', exitSignal: 11 },
    ],
    [
      'would have come back, so somebody stopped it, though its program calls that a failure',
      {
        ActiveState: 'failed',
        SubState: 'failed',
        Result: 'exit-code',
        Restart: 'on-failure',
        ExecMainCode: '1',
        ExecMainStatus: '255',
      },
      { state: 'stopped', stoppedOnPurpose: true },
    ],
    [
      'ended with a status that Restart= leaves alone',
      { ActiveState: 'failed', Result: 'exit-code', Restart: 'on-failure', RestartPreventExitStatus: '187' },
      { state: 'exited', stoppedOnPurpose: false },
    ],
    [
      'does not exist',
      { LoadState: 'not-found', ActiveState: 'inactive' },
      { state: 'unknown', stoppedOnPurpose: false },
    ],
    ['is masked', { LoadState: 'masked', ActiveState: 'inactive' }, { state: 'unknown', stoppedOnPurpose: false }],
    ['is in a state of the future', { ActiveState: 'pondering' }, { state: 'unknown' }],
    [
      'tells no pid and no start',
      { MainPID: '[not set]', ExecMainStartTimestampMonotonic: '' },
      { pid: undefined, uptimeMs: undefined },
    ],
  ])('that %s is reported as that', async (_, properties, expected) => {
    expect(await setUp().stateOf(properties)).toMatchObject(expected);
  });

  it('that restarted itself three times within one look counts as three starts', async () => {
    const { stateOf, host, look } = setUp();
    await stateOf({});
    host.unit('news.service', { NRestarts: '3', InvocationID: 'f'.repeat(32), MainPID: '4300' });
    const samples = await look();
    expect(samples.map(({ state }) => state)).toEqual(['exited', 'exited', 'running']);
    expect(new Set(samples.map(({ generation }) => generation)).size).toBe(3);
    expect(await look()).toHaveLength(1);
  });

  it('whose counter begins anew after a manual start counts as one start', async () => {
    const { stateOf, host, look } = setUp();
    await stateOf({ NRestarts: '7' });
    host.unit('news.service', { NRestarts: '0', InvocationID: 'f'.repeat(32) });
    expect(await look()).toHaveLength(1);
  });

  it('that systemd calls running though its process is gone is unknown', async () => {
    const { stateOf } = setUp({ document: { local: true }, readProcess: () => undefined });
    expect(await stateOf({})).toMatchObject({ state: 'unknown' });
  });

  it.each([
    ['the same moment', 500, { cpuMs: 7, halted: true }],
    ['another moment', 900, { cpuMs: undefined, halted: undefined }],
  ])('is read in /proc where that process began at %s', async (_, startTicks, expected) => {
    const readProcess = () => ({ state: 'T', parent: 1, startTicks, cpuMs: 7, bytesWritten: 1 });
    expect(await setUp({ readProcess }).stateOf({})).toMatchObject({ state: 'running', ...expected });
  });

  it.each([
    ['before the machine slept', 500, 7],
    ['between two sleeps', 1_500, 7],
    ['after it', 2_500, 7],
    ['at no moment that fits', 2_700, undefined],
  ])(
    'is read in /proc, whose times go on while the machine sleeps, where it began %s',
    async (_, startTicks, cpuMs) => {
      const readProcess = () => ({ state: 'S', parent: 1, startTicks, cpuMs: 7, bytesWritten: 1 });
      expect(await setUp({ readProcess, sleptMs: 20_000 }).stateOf({})).toMatchObject({ state: 'running', cpuMs });
    },
  );
});

describe('one look', () => {
  it('asks for all units at once, without a shell, a pager or a question', async () => {
    const channels = [
      { id: 'a', name: 'a' },
      { id: 'b', name: 'chan@b.service' },
    ];
    const { host, look } = setUp({ channels, document: { manager: 'user' } });
    host.unit('a.service');
    host.unit('chan@b.service', { MainPID: '77' });
    expect((await look()).map(({ channel, pid }) => [channel, pid])).toEqual([
      ['a', 4242],
      ['b', 77],
    ]);
    expect(host.calls()).toEqual([
      expect.stringMatching(
        /^--user --no-pager --no-ask-password show --property=Id,\S+ -- a\.service chan@b\.service$/,
      ),
    ]);
  });

  it('knows a unit by another of its names', async () => {
    const { stateOf } = setUp();
    expect(await stateOf({ Id: 'channel-7.service', Names: 'channel-7.service news.service' })).toMatchObject({
      state: 'running',
    });
  });

  it('never gives the state of one unit to another', async () => {
    const { host, engine } = setUp();
    host.unit('news.service', { Id: 'sport.service', Names: 'sport.service' });
    expect(await engine.observe(never)).toMatchObject({
      engine: { ok: false, failure: 'invalid_answer' },
      processes: [],
    });
  });

  it('with a unit left out reports none of them', async () => {
    const { host, engine } = setUp({
      channels: [
        { id: 'a', name: 'a' },
        { id: 'b', name: 'b' },
      ],
    });
    host.unit('a.service');
    expect(await engine.observe(never)).toMatchObject({
      engine: { ok: false, failure: 'invalid_answer' },
      processes: [],
    });
  });

  it.each([
    ['Failed to connect to bus: No such file or directory', 'unreachable'],
    ['Failed to get properties: Access denied', 'invalid_answer'],
  ])('that systemctl ends with "%s" is an engine that is not well', async (stderr, failure) => {
    const { host, engine } = setUp();
    host.fail(stderr);
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure }, processes: [] });
  });

  it('that never ends is given up', async () => {
    const { host, engine } = setUp({ timeoutMs: 300 });
    host.hang();
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure: 'timeout' } });
  });
});

const NEW_INVOCATION = 'sed -i "s/^InvocationID=.*/InvocationID=eeee/; s/^MainPID=.*/MainPID=4300/" "$dir/unit-$unit"';

describe('a look at one unit alone', () => {
  const channels = ['news', 'sport'].map((name) => ({ id: name, name }));

  it('asks for that unit and tells what the list tells of it, its own restarts included', async () => {
    const { host, engine } = setUp({ channels });
    host.unit('news.service', {});
    host.unit('sport.service', {});
    await engine.observe(never);
    host.unit('news.service', { NRestarts: '2', InvocationID: 'b'.repeat(32) });
    const alone = await engine.observeChannel('news', never);
    expect(host.calls().at(-1)).toMatch(/ -- news\.service$/);
    expect(alone.map(({ state, generation }) => [state, generation])).toEqual([
      ['exited', `unseen-1-before-${'b'.repeat(32)}`],
      ['running', 'b'.repeat(32)],
    ]);
    expect(await engine.observe(never)).toMatchObject({ processes: [{ channel: 'news' }, { channel: 'sport' }] });
  });

  it('fails where systemd cannot be asked', async () => {
    const { host, engine } = setUp();
    host.fail('Failed to connect to bus: No such file or directory');
    expect(await outcome(engine.observeChannel('news', never) as Promise<unknown>)).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
    });
  });
});

describe('a restart', () => {
  it('is one job that replaces no other job, and begins a new generation', async () => {
    const { host, engine, stateOf, look } = setUp();
    await stateOf({});
    host.onRestart(NEW_INVOCATION);
    expect(await engine.restart('news', aContext())).toBe('news.service restarted (it was running, pid 4242)');
    expect(host.calls().at(-1)).toBe('--no-pager --no-ask-password --job-mode=fail restart -- news.service');
    expect((await look())[0]).toMatchObject({ generation: 'eeee', pid: 4300 });
  });

  it('with one permit is done once', async () => {
    const { host, engine, stateOf } = setUp();
    await stateOf({});
    const context = aContext();
    await engine.restart('news', context);
    expect(await outcome(engine.restart('news', context))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(host.calls().filter((call) => call.includes(' restart '))).toHaveLength(1);
  });

  it.each<[string, Properties]>([
    ['has a job already', { Job: '815' }],
    ['starts', { ActiveState: 'activating', SubState: 'start-pre' }],
    ['stops', { ActiveState: 'deactivating', SubState: 'stop-sigterm' }],
    ['does not exist', { LoadState: 'not-found', ActiveState: 'inactive' }],
    ['is masked', { LoadState: 'masked', ActiveState: 'inactive' }],
  ])('of a unit that %s is refused, and nothing is changed', async (_, properties) => {
    const { host, engine, stateOf } = setUp();
    await stateOf(properties);
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(host.calls().filter((call) => call.includes('restart '))).toEqual([]);
  });

  it('that the unit’s start limit forbids is refused with systemd’s own message, unless it may be cleared', async () => {
    const limit = { ActiveState: 'failed', SubState: 'failed', Result: 'start-limit-hit', MainPID: '0' };
    const refusing =
      'grep -q ^ActiveState=failed "$dir/unit-$unit" && { echo "Failed to restart $unit: Start request repeated too quickly." >&2; exit 1; }';
    const { host, engine, stateOf } = setUp();
    await stateOf(limit);
    host.onRestart(refusing);
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({
      code: 'ENGINE_REFUSED',
      message: expect.stringContaining('repeated too quickly'),
    });
    const clearing = setUp({ document: { reset_failed: true } });
    await clearing.stateOf(limit);
    clearing.host.onRestart(refusing);
    expect(await clearing.engine.restart('news', aContext())).toBe('news.service restarted (it was fatal)');
  });

  it('that stops the unit and fails to start it leaves nothing that looks meant, until it runs again', async () => {
    const { host, engine, stateOf } = setUp();
    await stateOf({});
    host.onRestart('echo "Job for $unit failed because a dependency failed." >&2; exit 1');
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    const inactive = { ActiveState: 'inactive', SubState: 'dead', MainPID: '0' };
    expect(await stateOf(inactive)).toMatchObject({ state: 'stopped', stoppedOnPurpose: false });
    // Its start waits for another unit, which fails.
    expect(await stateOf({ ...inactive, Job: '47' })).toMatchObject({ state: 'starting' });
    expect(await stateOf(inactive)).toMatchObject({ state: 'stopped', stoppedOnPurpose: false });
    expect(await stateOf({})).toMatchObject({ state: 'running' });
    expect(await stateOf(inactive)).toMatchObject({ stoppedOnPurpose: true });
  });

  it('that takes longer than it may ends with its deadline', async () => {
    const { host, engine, stateOf } = setUp({ changeMs: 500 });
    await stateOf({});
    host.onRestart('exec sleep 60');
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'TIMED_OUT' });
  });
});

describe('the log of a unit', () => {
  it('is its newest entries as lines with their times, bytes and gaps included', async () => {
    const { host, engine } = setUp();
    host.journal([
      { MESSAGE: 'first', __REALTIME_TIMESTAMP: '1764000000123456' },
      { MESSAGE: [104, 105, 255], __REALTIME_TIMESTAMP: '1764000001000000' },
      { MESSAGE: null, __REALTIME_TIMESTAMP: '1764000002000000' },
      { MESSAGE: 'last' },
    ]);
    expect(await engine.recentLogs('news', 10_000, never)).toBe(
      '2025-11-24T16:00:00.123Z first\n2025-11-24T16:00:01.000Z hi\ufffd\nlast\n',
    );
    expect(host.calls()).toEqual([
      '--no-pager --quiet --output=json --all --output-fields=MESSAGE --lines=400 --unit=news.service',
    ]);
  });

  it('is cut to whole lines from its end', async () => {
    const { host, engine } = setUp();
    host.journal(Array.from({ length: 100 }, (_, index) => ({ MESSAGE: `line ${index}` })));
    expect(await engine.recentLogs('news', 20, never)).toBe('line 98\nline 99\n');
  });
});

/** systemd runs here as the first process. */
const BOOTED = existsSync('/run/systemd/system');

describe.skipIf(BOOTED || !existsSync('/usr/bin/systemctl'))('the real systemctl, where systemd does not run', () => {
  it('takes the arguments and is reported as an engine that cannot be reached', async () => {
    const document = systemdDocument.parse({ id: 'host', kind: 'systemd' });
    const engine = new SystemdEngine({ document, channels: [{ id: 'news', name: 'news' }], parts: engineParts() });
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure: 'unreachable' } });
  });
});

describe.skipIf(!existsSync('/usr/bin/journalctl'))('the real journalctl', () => {
  it('takes the arguments', async () => {
    const document = systemdDocument.parse({ id: 'host', kind: 'systemd' });
    const channels = [{ id: 'news', name: 'reeve-no-such-unit' }];
    const engine = new SystemdEngine({ document, channels, parts: engineParts() });
    expect(await engine.recentLogs('news', 1_000, never)).toBe('');
  });
});

describe.skipIf(!canJournal)('a real systemd-journald (needs root and the package systemd)', () => {
  it('gives a message of more than 4 KiB, which is often the one that tells the cause', async ({ skip }) => {
    const journal = await aJournal(skip);
    const journalctl = join(journal.folder, 'of-any-unit');
    // A test has no unit that writes, so the journal is asked without one.
    writeFileSync(journalctl, `#!/bin/bash\nexec ${journal.program} "\${@/#--unit=*/--no-hostname}"\n`);
    chmodSync(journalctl, 0o755);
    const document = systemdDocument.parse({ id: 'host', kind: 'systemd', journalctl });
    const engine = new SystemdEngine({ document, channels: [{ id: 'news', name: 'news' }], parts: engineParts() });
    journal.write(`${'x'.repeat(6_000)} the end of it`);
    await vi.waitFor(
      async () => expect(await engine.recentLogs('news', 10_000, never)).toMatch(/x{6000} the end of it\n$/),
      { timeout: 30_000, interval: 200 },
    );
  });
});
