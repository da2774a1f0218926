import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supervisorDocument } from '../../../src/engine/supervisor/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import type { ProcessSample } from '../../../src/core/sample.ts';
import { SupervisorEngine } from '../../../src/engine/supervisor/engine.ts';
import { aContext, engineParts } from '../../support/engine_parts.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import {
  freePort,
  hasSupervisord,
  readProc,
  startSupervisord,
  type Supervisord,
  until,
} from '../../support/supervisord.ts';

/** Ends a wait that would be in vain; how fast a busy machine is decides nothing. */
const WITHIN_MS = 30_000;
const still = ['autorestart=false', 'stopwaitsecs=1', 'startsecs=0'];
const waiting = ['autostart=false', ...still];
const ENCODER = existsSync('/usr/bin/ffmpeg')
  ? '/usr/bin/ffmpeg -nostdin -loglevel quiet -re -f lavfi -i testsrc=s=64x64:r=5 -f null -'
  : '/bin/sleep 1000';
const PROGRAMS = {
  'program:sleeper': ['command=/bin/sleep 1000', ...waiting],
  'program:frozen': [`command=${ENCODER}`, ...waiting],
  'program:killed': ['command=/bin/sleep 1000', ...waiting],
  'program:reviving': [
    'command=/bin/sleep 1000',
    'autostart=false',
    'autorestart=true',
    'startsecs=0',
    'stopwaitsecs=1',
  ],
  'program:leaving': ['command=/bin/sh -c "exit 3"', ...waiting],
  'program:ending': ['command=/bin/sh -c "exit 0"', ...waiting],
  // These live for a moment: supervisord refuses to have started what it finds dead before it has answered.
  'program:exits_at_start': ['command=/bin/sh -c "sleep 0.5; exit 1"', 'startsecs=1', 'startretries=0'],
  'program:retrying': ['command=/bin/sh -c "sleep 0.5; exit 1"', 'autostart=false', 'startsecs=1', 'startretries=50'],
  'program:missing': ['command=/nowhere/ffmpeg', 'autostart=false'],
  'program:ignores_term': [
    `command=/bin/bash -c "trap '' TERM; while :; do sleep 0.1; done"`,
    ...waiting,
    'killasgroup=true',
  ],
  // Hears TERM and ends when the file `go` is there: its end takes exactly as long as a test wants.
  'program:patient': [
    `command=/bin/bash -c "trap 'until [ -e go ]; do sleep 0.05; done; exit 0' TERM; echo >ready; while :; do sleep 0.1; done"`,
    'autostart=false',
    'autorestart=false',
    'stopwaitsecs=600',
    'startsecs=0',
  ],
  'program:slow': [
    'command=/bin/sleep 1000',
    'autostart=false',
    'autorestart=false',
    'startsecs=3600',
    'stopwaitsecs=1',
  ],
  'program:talking': [
    `command=/bin/bash -c "for i in {1..2000}; do echo line-$i '<&>' >&2; done; echo on-stdout; sleep 1000"`,
    ...waiting,
  ],
  'program:plain': ['command=/bin/bash -c "echo only-stdout; sleep 1000"', ...waiting],
  'program:left': ['command=/bin/sleep 1000', ...waiting],
  'program:right': ['command=/bin/sleep 1000', ...waiting],
  'group:pair': ['programs=left,right'],
};
const CHANNELS = [
  ...[
    'sleeper',
    'frozen',
    'killed',
    'reviving',
    'leaving',
    'ending',
    'exits_at_start',
    'retrying',
    'missing',
    'ignores_term',
    'patient',
    'slow',
  ],
  ...['talking', 'plain', 'pair:left', 'pair:right', 'absent'],
].map((name) => ({ id: `ch-${name}`, name }));

describe.skipIf(!hasSupervisord)('supervisor engine, with a real supervisord (needs the package supervisor)', () => {
  let daemon: Supervisord;
  beforeAll(async () => {
    daemon = await startSupervisord(PROGRAMS);
  });
  afterAll(() => {
    release();
    return daemon.stop();
  });

  const startPatient = async () => {
    release();
    daemon.ctl('stop', 'patient');
    for (const file of ['go', 'ready']) rmSync(`${daemon.dir}/${file}`, { force: true });
    daemon.ctl('start', 'patient');
    await until(() => existsSync(`${daemon.dir}/ready`), WITHIN_MS, 'it listens for TERM');
  };
  const release = () => writeFileSync(`${daemon.dir}/go`, '');

  const engineOf = (
    options: Record<string, unknown> = {},
    partOptions: Parameters<typeof engineParts>[0] = { readProcess: readProc },
  ) => {
    const where = 'socket' in options ? {} : { url: daemon.url };
    const fields = { id: 'local', kind: 'supervisor', username: 'tb', password: 'tb-secret', ...where, ...options };
    const document = supervisorDocument.parse(fields);
    return new SupervisorEngine({ document, channels: CHANNELS, parts: engineParts(partOptions) });
  };
  const never = new AbortController().signal;
  const sampleOf = async (engine: SupervisorEngine, name: string): Promise<ProcessSample> => {
    const { processes } = await engine.observe(never);
    return processes.find(({ channel }) => channel === `ch-${name}`)!;
  };
  const inState = (engine: SupervisorEngine, name: string, state: string) =>
    until(async () => (await sampleOf(engine, name)).state === state, WITHIN_MS, `${name} is ${state}`);
  const refusal = (call: Promise<unknown>) => call.then(() => 'done').catch((error: unknown) => error as ReeveError);
  const starts = (name: string) =>
    execFileSync('grep', ['-c', `spawned: '${name}'`, `${daemon.dir}/log/supervisord.log`], {
      encoding: 'utf8',
    }).trim();

  describe('observe', () => {
    it('gives one sample for each configured channel, in supervisor’s own terms', async () => {
      const engine = engineOf();
      await inState(engine, 'exits_at_start', 'fatal');
      const report = await engine.observe(never);
      expect(report.engine).toMatchObject({ ok: true, engine: 'local', reportsPool: false, poolPressure: undefined });
      expect(report.processes.map(({ channel }) => channel)).toEqual(CHANNELS.map(({ id }) => id));
      const by = (name: string) => report.processes.find(({ channel }) => channel === `ch-${name}`)!;
      expect(by('sleeper')).toMatchObject({ state: 'stopped', stoppedOnPurpose: true, pid: undefined });
      expect(by('exits_at_start')).toMatchObject({ state: 'fatal', stoppedOnPurpose: false, exitCode: undefined });
      expect(by('absent')).toMatchObject({ state: 'unknown', stoppedOnPurpose: false, generation: undefined });
    });

    it('names a process generation by pid and start, and reports what /proc knows of it', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'sleeper');
      const first = await sampleOf(engine, 'sleeper');
      const ticks = readProc(first.pid!)!.startTicks;
      expect(first).toMatchObject({ state: 'running', halted: false, generation: `${first.pid}:t${ticks}` });
      expect(first.cpuMs).toBeGreaterThanOrEqual(0);
      expect(await sampleOf(engine, 'sleeper')).toMatchObject({ generation: first.generation });
      expect(await sampleOf(engineOf(), 'sleeper')).toMatchObject({ generation: first.generation });
    });

    it('shows a foreign start as a new generation', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'reviving');
      const before = await sampleOf(engine, 'reviving');
      daemon.ctl('restart', 'reviving');
      const after = await sampleOf(engine, 'reviving');
      expect(after.generation).not.toBe(before.generation);
      process.kill(after.pid!, 'SIGKILL');
      await until(
        async () => (await sampleOf(engine, 'reviving')).generation !== after.generation,
        WITHIN_MS,
        'supervisord has restarted it',
      );
    });

    it('distinguishes an exit with its code from a death by signal', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'leaving', 'ending', 'killed');
      await inState(engine, 'leaving', 'exited');
      await inState(engine, 'ending', 'exited');
      expect(await sampleOf(engine, 'leaving')).toMatchObject({ exitCode: 3, exitSignal: undefined, pid: undefined });
      expect(await sampleOf(engine, 'ending')).toMatchObject({ exitCode: 0, stoppedOnPurpose: false });
      process.kill((await sampleOf(engine, 'killed')).pid!, 'SIGKILL');
      await inState(engine, 'killed', 'exited');
      expect(await sampleOf(engine, 'killed')).toMatchObject({ exitCode: undefined, exitSignal: 0 });
    });

    it('sees a halted process only where it may read /proc and knows it for its own', async () => {
      daemon.ctl('start', 'frozen');
      const pid = (await sampleOf(engineOf(), 'frozen')).pid!;
      process.kill(pid, 'SIGSTOP');
      await until(() => readProc(pid)?.state === 'T', WITHIN_MS, 'it is halted');
      expect(await sampleOf(engineOf(), 'frozen')).toMatchObject({ state: 'running', halted: true });
      expect(await sampleOf(engineOf({ local: true }), 'frozen')).toMatchObject({ halted: true });
      expect(await sampleOf(engineOf({ local: false }), 'frozen')).toMatchObject({
        halted: undefined,
        cpuMs: undefined,
      });
      const stranger = engineOf({}, { readProcess: (asked) => ({ ...readProc(asked)!, parent: 2 }) });
      expect(await sampleOf(stranger, 'frozen')).toMatchObject({ state: 'running', halted: undefined });
      process.kill(pid, 'SIGCONT');
    });

    it('tells of one channel alone exactly what the list tells of it', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'sleeper', 'leaving');
      await inState(engine, 'leaving', 'exited');
      for (const name of ['sleeper', 'leaving', 'pair:left']) {
        const [alone, ...more] = await engine.observeChannel(`ch-${name}`, never);
        const {
          at: _at,
          monoMs: _monoMs,
          uptimeMs: _uptimeMs,
          cpuMs: _cpuMs,
          ...listed
        } = await sampleOf(engine, name);
        expect(more).toEqual([]);
        expect(alone).toMatchObject({ ...listed, source: 'supervisor.getProcessInfo' });
      }
    });

    it('says of one channel that supervisord does not know only that it does not', async () => {
      await expect(engineOf().observeChannel('ch-absent', never)).rejects.toThrow(/BAD_NAME/);
      await expect(engineOf().observeChannel('ch-nobody', never)).rejects.toMatchObject({ code: 'ENGINE_REFUSED' });
    });

    it('leaves out of its list the channel that was looked at alone while the list was under way', async () => {
      const { clock, advance } = fakeClock();
      const engine = engineOf({}, { clock, readProcess: readProc });
      const list = engine.observe(never);
      await advance(1);
      const [alone] = await engine.observeChannel('ch-sleeper', never);
      expect(alone).toMatchObject({ channel: 'ch-sleeper' });
      const listed = (await list).processes.map(({ channel }) => channel);
      expect(listed).toEqual(CHANNELS.map(({ id }) => id).filter((id) => id !== 'ch-sleeper'));
    });

    it('asks through the unix socket as well', async () => {
      const engine = engineOf({ socket: daemon.socket });
      expect((await engine.observe(never)).engine.ok).toBe(true);
      expect((await sampleOf(engine, 'pair:left')).state).toBe('stopped');
    });

    it('reports a wrong password as refused credentials, and a closed port as a refused connection', async () => {
      const wrong = await engineOf({ password: 'guess' }).observe(never);
      expect(wrong).toMatchObject({ engine: { ok: false, failure: 'refused_credentials' }, processes: [] });
      const refused = await engineOf({ url: `http://127.0.0.1:${await freePort()}/RPC2` }).observe(never);
      expect(refused).toMatchObject({ engine: { ok: false, failure: 'refused' }, processes: [] });
      const noSocket = await engineOf({ socket: '/nowhere/s.sock' }).observe(never);
      expect(noSocket).toMatchObject({ engine: { ok: false, failure: 'refused' } });
    });

    it('keeps saying why while its breaker keeps it from asking', async () => {
      const engine = engineOf({ url: `http://127.0.0.1:${await freePort()}/RPC2` });
      for (let look = 0; look < 10; look += 1) {
        expect((await engine.observe(never)).engine).toMatchObject({ ok: false, failure: 'refused' });
      }
    });

    it('ends with its caller', async () => {
      const leaving = AbortSignal.abort(new Error('stopping'));
      await expect(engineOf().observe(leaving)).rejects.toThrow('stopping');
    });
  });

  describe('restart', () => {
    it('gives a running channel exactly one new process generation', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'pair:left');
      const before = await sampleOf(engine, 'pair:left');
      const done = await engine.restart('ch-pair:left', aContext());
      expect(done).toBe(`pair:left stopped (it was running, pid ${before.pid}) and started`);
      const after = await sampleOf(engine, 'pair:left');
      expect(after.state).toBe('running');
      expect(after.generation).not.toBe(before.generation);
      expect(starts('left')).toBe('2');
      expect((await sampleOf(engine, 'pair:right')).state).toBe('stopped');
    });

    it('starts what has exited, what is stopped and what is fatal', async () => {
      const engine = engineOf();
      expect(await engine.restart('ch-pair:right', aContext())).toBe('pair:right started (it was stopped)');
      daemon.ctl('start', 'ending');
      await inState(engine, 'ending', 'exited');
      expect(await engine.restart('ch-ending', aContext())).toContain('started (it was exited)');
      await inState(engine, 'exits_at_start', 'fatal');
      const before = Number(starts('exits_at_start'));
      expect(await engine.restart('ch-exits_at_start', aContext())).toContain('started (it was fatal)');
      expect(Number(starts('exits_at_start'))).toBe(before + 1);
    });

    it('restarts a halted process, which needs the KILL that supervisord sends after its patience', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'frozen');
      const before = await sampleOf(engine, 'frozen');
      process.kill(before.pid!, 'SIGSTOP');
      await engine.restart('ch-frozen', aContext());
      const after = await sampleOf(engine, 'frozen');
      expect(after).toMatchObject({ state: 'running', halted: false });
      expect(after.generation).not.toBe(before.generation);
    });

    it('restarts a process that ignores SIGTERM', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'ignores_term');
      const before = await sampleOf(engine, 'ignores_term');
      await engine.restart('ch-ignores_term', aContext());
      expect((await sampleOf(engine, 'ignores_term')).generation).not.toBe(before.generation);
    });

    it("takes over from supervisord's own retries", async () => {
      const engine = engineOf();
      daemon.ctl('start', 'retrying');
      // Between two retries it is starting, and then is left alone: asked again until a pause is met.
      let outcome: unknown;
      const restartInPause = async () => {
        await inState(engine, 'retrying', 'backoff');
        outcome = await engine.restart('ch-retrying', aContext()).catch((error: unknown) => error);
        return !String(outcome).includes('is starting');
      };
      await until(restartInPause, WITHIN_MS, 'it was met in a pause');
      expect(outcome).toMatch(/^retrying:retrying stopped \(it was backoff\) and started/);
      daemon.ctl('stop', 'retrying');
    });

    it('leaves alone a channel that another client has just started', async () => {
      const engine = engineOf();
      daemon.ctl('stop', 'slow');
      await engine.restart('ch-slow', aContext());
      const before = await sampleOf(engine, 'slow');
      expect(before.state).toBe('starting');
      expect(await refusal(engine.restart('ch-slow', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
      expect((await sampleOf(engine, 'slow')).generation).toBe(before.generation);
      expect(starts('slow')).toBe('1');
    });

    it('says so when the program is not there, the channel is unknown or supervisord does not know it', async () => {
      const engine = engineOf();
      expect(await refusal(engine.restart('ch-missing', aContext()))).toMatchObject({
        code: 'ENGINE_REFUSED',
        message: expect.stringContaining('NO_FILE'),
      });
      expect(await refusal(engine.restart('ch-absent', aContext()))).toMatchObject({
        code: 'ENGINE_REFUSED',
        message: expect.stringContaining('BAD_NAME'),
      });
      expect(await refusal(engine.restart('other', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    });

    it('never restarts a whole group, whatever its name says', async () => {
      const group = supervisorDocument.parse({
        id: 'l',
        kind: 'supervisor',
        socket: daemon.socket,
        username: 'tb',
        password: 'tb-secret',
      });
      const called = (name: string) =>
        new SupervisorEngine({ document: group, channels: [{ id: name, name }], parts: engineParts() });
      const before = starts('left');
      expect(await refusal(called('pair').restart('pair', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
      expect(starts('left')).toBe(before);
      for (const name of ['pair:*', 'pair:'])
        expect(() => called(name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    });

    it('does nothing for a caller who left before, and finishes what it began for one who leaves in between', async () => {
      const engine = engineOf();
      await startPatient();
      const before = starts('patient');
      const gone = aContext({ signal: AbortSignal.abort(new Error('gone')) });
      await expect(engine.restart('ch-patient', gone)).rejects.toThrow('gone');
      expect(starts('patient')).toBe(before);
      const caller = new AbortController();
      const restart = engine.restart('ch-patient', aContext({ signal: caller.signal }));
      await inState(engine, 'patient', 'stopping');
      expect(await sampleOf(engine, 'patient')).toMatchObject({ stoppedOnPurpose: false });
      caller.abort(new Error('gone'));
      release();
      await restart;
      expect(Number(starts('patient'))).toBe(Number(before) + 1);
      expect((await sampleOf(engine, 'patient')).state).toBe('running');
    });

    it('does not call a channel stopped on purpose when its own restart left it lying', async () => {
      const { clock, advance } = fakeClock();
      const engine = engineOf({ change_timeout: '1s' }, { readProcess: readProc, clock, changeMs: 400 });
      await startPatient();
      const restart = refusal(engine.restart('ch-patient', aContext()));
      await inState(engineOf(), 'patient', 'stopping');
      await advance(400);
      expect(await restart).toMatchObject({ code: 'TIMED_OUT' });
      release();
      await inState(engine, 'patient', 'stopped');
      expect(await sampleOf(engine, 'patient')).toMatchObject({ state: 'stopped', stoppedOnPurpose: false });
      daemon.ctl('start', 'patient');
      await inState(engine, 'patient', 'running');
      daemon.ctl('stop', 'patient');
      expect(await sampleOf(engine, 'patient')).toMatchObject({ state: 'stopped', stoppedOnPurpose: true });
    });
  });

  describe('recent logs', () => {
    it('gives the newest whole lines within the cap, stdout where stderr is silent', async () => {
      const engine = engineOf();
      daemon.ctl('start', 'talking', 'plain');
      await until(
        async () => (await engine.recentLogs('ch-talking', 500, never)).includes('line-2000'),
        WITHIN_MS,
        'it talked',
      );
      const text = await engine.recentLogs('ch-talking', 500, never);
      expect(text.length).toBeLessThanOrEqual(500);
      expect(text.split('\n')[0]).toMatch(/^line-\d+ <&>$/);
      expect(text.trimEnd().endsWith('line-2000 <&>')).toBe(true);
      const plain = () => engine.recentLogs('ch-plain', 500, never);
      await until(async () => (await plain()) !== '', WITHIN_MS, 'it spoke');
      expect(await plain()).toBe('only-stdout\n');
      expect(await engine.recentLogs('ch-missing', 500, never)).toBe('');
    });
  });
});
