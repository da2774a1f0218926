import { describe, expect, it } from 'vitest';
import { verifyFresh } from '../../src/ground/verify.ts';
import { origins, pulling, restartable, Scene } from './scene.ts';

describe('a channel that plays', () => {
  it('is fine, and stays fine', () => {
    expect(new Scene().verdicts(60_000)).toEqual(['fine true']);
    expect(pulling().verdicts(60_000)).toEqual(['fine true']);
  });

  it('stays fine when its log complains and its output moves', () => {
    const scene = new Scene().log('upstream_unreachable').log('config_error').log('process_crash');
    expect(scene.verdicts(30_000)).toEqual(['fine true']);
  });
});

describe('killed', () => {
  it('is a crash within 1.3 s, by two independent signals, where nothing else restarts it', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 });
    scene.advance(100).log('process_exit_nonzero').look().lookAtHost();
    expect(scene.verdict()).toBe('settling process_crashed');
    scene.advance(900);
    expect(scene.verdict()).toBe('settling process_crashed');
    scene.advance(200);
    expect(scene.verdict()).toBe('process_crashed');
    expect(origins(scene.trouble())).toEqual(['process', 'log']);
    expect(scene.trouble().confidence).toBeGreaterThanOrEqual(0.8);
  });

  it('waits for the output as second signal where no supervisor log is read', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 }).advance(200).look().lookAtHost();
    scene.advance(1_500);
    expect(scene.verdict()).toBe('settling process_crashed');
    scene.advance(4_000);
    expect(scene.verdict()).toBe('process_crashed');
    expect(origins(scene.trouble())).toEqual(['process', 'probe']);
  });

  it('needs nothing when the engine has restarted it', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 }).advance(100).log('process_exit_nonzero').advance(100).start();
    const heard = scene.verdicts(30_000);
    expect(heard.filter((one) => !one.startsWith('fine'))).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
    expect(scene.starts).toHaveLength(1);
  });

  it('needs nothing when the death was seen before the engine restarted it', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 }).advance(50).look().log('process_exit_nonzero').advance(300).start().look();
    const heard = scene.verdicts(30_000);
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
  });

  it('is a crash too for SIGSEGV, and for a channel with a source that was read lately', () => {
    const scene = pulling();
    scene.die({ code: -1, signal: 11 }).advance(100).log('process_crash').look().advance(1_200);
    expect(scene.verdict()).toBe('process_crashed');
  });

  it('stays a crash for as long as it is dead', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 }).advance(5_000).lookAtHost().log('process_exit_nonzero').advance(1_000);
    expect(scene.verdicts(120_000)).toEqual(['process_crashed']);
  });

  it('is no crash by a signal without a number where the source fails', () => {
    const scene = pulling();
    scene.set({ source: 'refused' }).advance(10_000).die({ code: -1 }).advance(100).look();
    expect(scene.verdicts(60_000).filter((one) => !one.endsWith('upstream_unavailable'))).toEqual([]);
  });
});

describe('frozen', () => {
  it('is a stall by process table and playlist once the output has stood for long enough', () => {
    const scene = new Scene();
    scene.set({ halted: true, producing: false });
    expect(scene.verdicts(3_500)).toEqual(['fine true']);
    const heard = scene.verdicts(8_000);
    expect(heard.at(-1)).toBe('output_stalled');
    expect(origins(scene.trouble())).toContain('process');
    expect(origins(scene.trouble())).toContain('probe');
    expect(scene.trouble().confidence).toBeGreaterThanOrEqual(0.9);
  });

  it('is seen on a channel whose source is fine', () => {
    const scene = pulling();
    scene.set({ halted: true, producing: false });
    expect(scene.verdicts(14_000).at(-1)).toBe('output_stalled');
  });

  it('is not concluded of a process that is throttled: halted at every look, and using CPU time', () => {
    const scene = new Scene();
    scene.set({ state: 'running', producing: false, cpu: 150, speed: 0.4 });
    for (let second = 0; second < 20; second += 1) {
      scene.set({ halted: true }).look().set({ halted: false }).advance(1_000);
    }
    expect(scene.verdict()).toBe('encode_too_slow');
  });
});

describe('crash loop', () => {
  it('becomes a loop at the third short generation, and is never restarted from then on', () => {
    const scene = new Scene();
    const heard: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      scene.start(true);
      heard.push(...scene.verdicts(2_000));
      scene.die({ code: -1, signal: 11 }).look().log('process_crash');
      heard.push(...scene.verdicts(300));
    }
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdicts(2_000)).toEqual(['item_churn']);
  });

  it('is one where each generation ends with exit 0 and the playlist stays fresh (source cut short)', () => {
    const scene = pulling();
    const heard: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      scene.start(true);
      heard.push(...scene.verdicts(2_800));
      scene.die({ code: 0 }).look();
      heard.push(...scene.verdicts(200));
    }
    expect(restartable(heard)).toEqual([]);
    expect(scene.trouble().classification).toBe('item_churn');
    expect(scene.trouble().healthy).toBe(false);
  });

  it('stays one when its last generation is not followed by another: an ended process is not at rest', () => {
    const scene = new Scene();
    for (let round = 0; round < 3; round += 1) {
      scene.start().advance(2_000).die({ code: -1, signal: 11 }).look().advance(200);
    }
    expect(scene.verdicts(300_000)).toEqual(['item_churn']);
  });

  it('ends when a generation has run long enough', () => {
    const scene = new Scene();
    for (let round = 0; round < 4; round += 1)
      scene.start().advance(2_000).die({ code: -1, signal: 11 }).look().advance(200);
    scene.start();
    expect(scene.verdicts(29_000)).toContain('item_churn');
    scene.advance(3_000);
    expect(scene.verdict()).toBe('fine true');
  });

  it('keeps its name when the engine gives up, for as long as it is dead', () => {
    const scene = new Scene();
    for (let round = 0; round < 4; round += 1)
      scene.start(false).look().advance(300).die({ code: 1 }, 'backoff').look().advance(1_000);
    scene.set({ state: 'fatal' }).look();
    expect(scene.verdicts(300_000)).toEqual(['item_churn']);
  });
});

/** Four quick failures, each with its log lines, and then FATAL: what supervisord does to a start that cannot work. */
function fatalWith(scene: Scene, logLines: () => void): readonly string[] {
  const heard: string[] = [];
  scene.die({ code: 255 }, 'stopped').set({ onPurpose: true }).look().set({ onPurpose: false });
  for (let retry = 0; retry < 4; retry += 1) {
    scene.start(false, 'silent').set({ state: 'starting' }).look().advance(200);
    logLines();
    scene.die({ code: 1 }, 'backoff').look();
    heard.push(...scene.verdicts(1_000 * (retry + 1)));
  }
  scene.set({ state: 'fatal' }).look();
  return [...heard, ...scene.verdicts(120_000)];
}

describe('bad setting, permission, port', () => {
  it.each(['config_error', 'permission_denied', 'port_in_use', 'codec_unsupported'] as const)(
    '%s keeps its class in FATAL',
    (kind) => {
      const scene = new Scene();
      const heard = fatalWith(scene, () => scene.log(kind));
      expect(heard.filter((one) => !one.endsWith('encoder_misconfigured'))).toEqual([]);
      expect(scene.verdict()).toBe('encoder_misconfigured');
    },
  );

  it('permission lost under a running channel loops without FATAL and is still no restart', () => {
    const scene = new Scene();
    const heard: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      scene.set({ producing: false }).log('permission_denied').advance(100).die({ code: 1 }).look();
      heard.push(...scene.verdicts(300));
      scene.start(false, 'silent');
      heard.push(...scene.verdicts(2_500));
    }
    expect(restartable(heard)).toEqual([]);
    expect(scene.log('permission_denied').verdict()).toBe('encoder_misconfigured');
  });

  it('does not restart it when its final output is read a moment after the exit', () => {
    const scene = new Scene();
    scene.die({ code: 1 }).advance(100).look().advance(1_200);
    expect(scene.verdict()).toBe('settling process_crashed');
    scene.log('config_error');
    expect(scene.verdicts(60_000)).toEqual(['encoder_misconfigured']);
  });
});

describe('source answers with a status', () => {
  it.each([
    [403, 'auth_denied', 'upstream_url_expired'],
    [404, 'upstream_not_found', 'upstream_not_found'],
    [500, 'upstream_unreachable', 'upstream_unavailable'],
    [401, 'auth_denied', 'upstream_auth_expired'],
    [429, 'rate_limited', 'upstream_rate_limited'],
  ] as const)('%i becomes %s and is never restarted', (status, kind, classification) => {
    const scene = pulling();
    scene.set({ source: 'http_status', sourceStatus: status });
    const heard = fatalWith(scene, () => scene.log(kind));
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe(classification);
  });

  it('403 with good credentials is a stale address; with bad ones it is access that ran out', () => {
    const scene = pulling();
    scene.set({ source: 'http_status', sourceStatus: 403 });
    fatalWith(scene, () => scene.log('auth_denied'));
    const credential = {
      kind: 'credential',
      engine: 'local',
      at: scene.at,
      monoMs: scene.nowMs,
      source: 'probe',
    } as const;
    scene.factStore.observe({ ...credential, ok: true });
    expect(scene.verdict()).toBe('upstream_url_expired');
    scene.factStore.observe({ ...credential, ok: false });
    expect(scene.verdict()).toBe('upstream_auth_expired');
  });

  it('503 with Retry-After asks for patience; without it is an outage', () => {
    const scene = pulling();
    scene.set({ source: 'http_status', sourceStatus: 503, retryAfterMs: 30_000, producing: false, speed: undefined });
    scene.advance(20_000);
    expect(scene.verdict()).toBe('upstream_rate_limited');
    scene.set({ retryAfterMs: undefined }).advance(11_000);
    expect(scene.verdict()).toBe('upstream_unavailable');
  });

  it('an exit by itself is no crash while the source was only read before it', () => {
    const scene = pulling();
    scene.advance(5_000).set({ source: 'http_status', sourceStatus: 403 }).die({ code: 1 }).look();
    expect(restartable(scene.verdicts(60_000))).toEqual([]);
    expect(scene.verdict()).toBe('upstream_url_expired');
  });
});

describe('refused, and after', () => {
  it('waits while the source is down and starts what stayed down when it is back', () => {
    const scene = pulling();
    scene.set({ source: 'refused' });
    const heard = fatalWith(scene, () => scene.log('upstream_unreachable'));
    expect(heard.filter((one) => !one.endsWith('upstream_unavailable') && !one.endsWith('unknown'))).toEqual([]);
    scene.set({ source: 'ok' });
    const after = scene.verdicts(40_000);
    expect(after).toEqual(['upstream_unavailable', 'process_crashed']);
    expect(scene.trouble().because).toContain('source is back');
  });

  it('starts it too where it had ended with exit 0 in the outage', () => {
    const scene = pulling();
    scene.set({ source: 'refused' }).die({ code: 0 }).look().advance(30_000);
    expect(scene.verdict()).toBe('upstream_unavailable');
    expect(scene.set({ source: 'ok' }).verdicts(40_000).at(-1)).toBe('process_crashed');
  });

  it('does not take one good look for the end of the outage', () => {
    const scene = pulling();
    scene.set({ source: 'refused' });
    fatalWith(scene, () => scene.log('upstream_unreachable'));
    const heard: string[] = [];
    for (let flap = 0; flap < 6; flap += 1) {
      heard.push(...scene.set({ source: 'ok' }).verdicts(10_000), ...scene.set({ source: 'refused' }).verdicts(10_000));
    }
    expect(restartable(heard)).toEqual([]);
  });

  it('leaves a reconnecting channel alone', () => {
    const scene = pulling();
    scene.set({ source: 'refused', producing: false, speed: undefined });
    const heard: string[] = [];
    for (let second = 0; second < 60; second += 3) heard.push(...scene.log('upstream_unreachable').verdicts(3_000));
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('upstream_unavailable');
    scene.set({ source: 'ok', producing: true, speed: 1 });
    expect(restartable(scene.verdicts(40_000))).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
  });

  it('a name that does not resolve stays an outage for good where no source is looked at', () => {
    const scene = new Scene();
    const heard = fatalWith(scene, () => scene.log('dns_failure'));
    expect(heard.filter((one) => !one.endsWith('upstream_unavailable'))).toEqual([]);
    expect(scene.verdicts(600_000)).toEqual(['upstream_unavailable']);
  });

  it('a start that was not cured does not become an outage twice', () => {
    const scene = pulling();
    scene.set({ source: 'refused' });
    fatalWith(scene, () => scene.log('upstream_unreachable'));
    scene.set({ source: 'ok' }).advance(40_000);
    expect(scene.verdict()).toBe('process_crashed');
    scene.factStore.acted('pull1', scene.nowMs);
    scene.start(false, 'silent').look().advance(1_500).die({ code: 1 }).look();
    const heard = scene.verdicts(60_000);
    expect(heard.filter((one) => one === 'process_crashed').length).toBeLessThanOrEqual(1);
    expect(scene.trouble().because).not.toContain('source is back');
  });
});

describe('stalled source', () => {
  it('is an outage and never a stall, although the channel runs and is silent', () => {
    const scene = pulling();
    scene.advance(600).set({ source: 'timeout', producing: false, speed: undefined, cpu: 0 });
    const heard = scene.verdicts(120_000);
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('upstream_unavailable');
  });

  it('holds at every moment at which the stall may begin between two looks', () => {
    for (let offset = 0; offset < 10_000; offset += 700) {
      const scene = pulling();
      scene.advance(offset).set({ source: 'timeout', producing: false, speed: undefined, cpu: 0 });
      expect(restartable(scene.verdicts(40_000))).toEqual([]);
    }
  });

  it('without a probe of its source, two signals of a standing output are a stall', () => {
    const scene = new Scene();
    scene.set({ producing: false, speed: undefined, cpu: 0 });
    expect(scene.verdicts(20_000).at(-1)).toBe('output_stalled');
  });
});

describe('too slow', () => {
  it('is concluded of a throttled encoder by true speed, and never becomes a stall', () => {
    const scene = new Scene();
    scene.start(true, 0.45).set({ producing: false });
    const heard = scene.verdicts(60_000);
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('encode_too_slow');
  });

  it('is concluded of a slow source too, when its probe cannot decide', () => {
    const scene = pulling();
    scene.set({ speed: 0.2, producing: false });
    expect(restartable(scene.verdicts(60_000))).toEqual([]);
    expect(scene.verdict()).toBe('encode_too_slow');
  });

  it('is an outage when the probe of the source finds it slow', () => {
    const scene = pulling();
    scene.set({ speed: 0.2, producing: false, source: 'slow' });
    expect(restartable(scene.verdicts(60_000))).toEqual([]);
    expect(scene.verdict()).toBe('upstream_unavailable');
  });

  it('holds at 0.94 once it has fallen behind, and never at 0.96', () => {
    expect(new Scene().set({ speed: 0.94 }).advance(32_000).verdict()).toBe('encode_too_slow');
    expect(new Scene().set({ speed: 0.96 }).advance(60_000).verdict()).toBe('fine true');
  });
});

describe('corrupt input', () => {
  it('is unplayable while the lines are fresh, also when the output moves', () => {
    const scene = pulling();
    const heard: string[] = [];
    for (let second = 0; second < 20; second += 1)
      heard.push(...scene.log('corrupt_input', { count: 10 + second }).verdicts(1_000));
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('media_unplayable');
  });

  it('stuck afterwards: a stall once the lines are past and the source was read well since', () => {
    const scene = pulling();
    for (let second = 0; second < 9; second += 1) scene.log('corrupt_input', { count: 10 + second }).advance(1_000);
    scene.set({ producing: false, speed: undefined, cpu: 0 });
    const during = scene.verdicts(24_000);
    expect(restartable(during)).toEqual([]);
    expect(scene.verdicts(16_000).at(-1)).toBe('output_stalled');
  });

  it('playing on afterwards: nothing', () => {
    const scene = pulling();
    for (let second = 0; second < 9; second += 1) scene.log('corrupt_input', { count: 10 + second }).advance(1_000);
    expect(restartable(scene.verdicts(60_000))).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
  });

  it('a decoder that complains as it joins is healthy', () => {
    const scene = pulling();
    scene.start();
    scene.advance(1_000).log('corrupt_input', { count: 4 });
    expect(scene.verdicts(30_000).filter((one) => !one.startsWith('fine'))).toEqual([]);
  });
});

describe('host', () => {
  it('a full disk is seen by its fill and by empty segments, and forbids restarts', () => {
    const scene = new Scene();
    scene.set({ disk: 1, segmentBytes: 0 });
    expect(scene.verdicts(20_000).at(-1)).toBe('host_exhausted');
    expect(origins(scene.trouble())).toEqual(expect.arrayContaining(['host', 'probe']));
    scene.die({ code: 1 }).look();
    expect(scene.verdicts(20_000).filter((one) => !one.endsWith('host_exhausted'))).toEqual([]);
  });

  it('empty segments without a disk to look at are still no restart', () => {
    const scene = new Scene();
    scene.set({ disk: undefined, segmentBytes: 0 });
    const heard = scene.verdicts(40_000);
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('host_exhausted');
  });

  it('an OOM kill looks like kill -9 until the kernel counter is read', () => {
    const scene = new Scene();
    scene.advance(4_600 - (scene.nowMs % 5_000) + 5_000);
    scene.die({ code: -1, signal: 9 }).log('process_exit_nonzero').advance(100).look();
    scene.set({ oomKills: 1 });
    expect(scene.trouble().wants).toEqual(['host']);
    expect(scene.verdict()).toBe('settling process_crashed');
    scene.lookAtHost();
    expect(scene.verdict()).toBe('settling host_exhausted');
    expect(scene.verdicts(5_000).at(-1)).toBe('host_exhausted');
  });

  it('an OOM kill at every start stays with its cause in FATAL', () => {
    const scene = new Scene();
    const heard = fatalWith(scene, () => scene.log('process_killed_oom'));
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('host_exhausted');
  });

  it('descriptors of one long-lived process are free again when it has died: one crash', () => {
    const scene = new Scene();
    scene.log('fd_exhaustion').die({ code: 1 }).look().advance(3_000).log('process_exit_nonzero');
    expect(scene.verdicts(20_000).at(-1)).toBe('process_crashed');
  });

  it('descriptors that are short at every start are the host', () => {
    const scene = pulling();
    const heard = fatalWith(scene, () => scene.log('fd_exhaustion'));
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('host_exhausted');
  });
});

describe('server of the output, engine', () => {
  it('a server that is down proves nothing about the channels', () => {
    const scene = new Scene();
    scene.set({ server: 'refused' });
    const heard = scene.verdicts(120_000);
    expect(heard.at(-1)).toBe('telemetry_untrusted');
    expect(restartable(heard)).toEqual([]);
    expect(scene.trouble().healthy).toBeUndefined();
  });

  it('does not hide a process that is dead', () => {
    const scene = new Scene();
    scene.set({ server: 'refused' }).advance(10_000);
    scene.die({ code: -1, signal: 9 }).log('process_exit_nonzero').look().lookAtHost().advance(1_300);
    expect(scene.verdict()).toBe('process_crashed');
  });

  it('an engine that does not answer is no trouble of a channel that plays', () => {
    const scene = new Scene();
    scene.set({ engineUp: false });
    expect(scene.verdicts(60_000).every((one) => one.startsWith('fine'))).toBe(true);
    scene.set({ producing: false });
    expect(scene.verdicts(20_000).at(-1)).toBe('control_plane_down');
  });
});

describe('ends that a person wanted', () => {
  it('a channel that an operator stopped is quiet for ever', () => {
    const scene = new Scene();
    scene.die({ code: 255 }, 'stopped').set({ onPurpose: true });
    expect(scene.verdicts(200_000).filter((one) => one !== 'quiet' && one !== 'fine true')).toEqual([]);
    expect(scene.verdict()).toBe('quiet');
  });

  it('an ordered end outside the engine (255, SIGTERM) is no crash; a person is paged about the channel that is down', () => {
    for (const exit of [{ code: 255 }, { code: -1, signal: 15 }]) {
      const scene = new Scene();
      scene.die(exit).look().log('process_exit_nonzero');
      expect(scene.verdicts(9_000)).toEqual(['settling unknown']);
      expect(scene.advance(2_000).verdict()).toBe('unknown');
      expect(restartable(scene.verdicts(120_000))).toEqual([]);
    }
  });

  it('exit 0 on a channel that should always play is no crash; a person is paged about it', () => {
    const scene = new Scene();
    scene.die({ code: 0 }).look();
    expect(scene.verdicts(9_000)).toEqual(['settling unknown']);
    expect(scene.verdicts(60_000).at(-1)).toBe('unknown');
  });

  it.each([
    ['are not there', 'missing'],
    ['are empty, while the disk is not full,', 0],
  ] as const)(
    'a list that moves and whose segments %s is no output, and no reason for a restart',
    (_, segmentBytes) => {
      const scene = new Scene();
      const heard = scene.set({ segmentBytes }).verdicts(30_000);
      expect(heard.at(-1)).toBe('unknown');
      expect(restartable(heard)).toEqual([]);
      expect(scene.verdicts(60_000)).toEqual(['unknown']);
      expect(scene.set({ segmentBytes: 40_000 }).advance(5_000).find().healthy).toBe(true);
    },
  );

  it('an on-demand channel that rests is healthy', () => {
    const scene = new Scene({ expected: 'on_demand' });
    scene.die({ code: 0 }).look().advance(5_000);
    expect(scene.verdict()).toBe('quiet');
    expect(scene.find().healthy).toBe(true);
  });

  it('what Reeve itself stopped and could not start is not quiet', () => {
    const scene = new Scene();
    scene.factStore.acted('gen1', scene.nowMs);
    scene.advance(200).die({ code: 255 }, 'stopped').set({ onPurpose: true }).look();
    expect(scene.verdicts(120_000).at(-1)).toBe('unknown');
  });
});

describe('a start', () => {
  it('gets time for its first output, but not when it is dead', () => {
    const scene = new Scene();
    scene.set({ producing: false }).start(false, 'silent').set({ cpu: 0 });
    expect(scene.verdicts(7_000).every((one) => one.startsWith('fine'))).toBe(true);
    scene.die({ code: -1, signal: 11 }).look();
    expect(scene.verdict()).toBe('settling process_crashed');
  });

  it('verified: only output of the new process counts', () => {
    const scene = new Scene();
    scene.die({ code: -1, signal: 9 }).advance(2_300);
    const since = scene.nowMs;
    const previousGeneration = scene.facts().process?.generation;
    const judge = () => verifyFresh(scene.facts(), { sinceMs: since, previousGeneration }, scene.nowMs).state;
    scene.factStore.acted('gen1', since);
    expect(judge()).toBe('not_yet');
    scene.start().advance(1_000);
    expect(judge()).toBe('not_yet');
    scene.advance(4_000);
    expect(judge()).toBe('cured');
  });

  it('verified: not when the new process dies, nor by a closing playlist, nor without samples', () => {
    const scene = new Scene();
    scene.set({ halted: true, producing: false }).advance(10_000);
    const since = scene.nowMs;
    const action = { sinceMs: since, previousGeneration: scene.facts().process?.generation };
    scene.factStore.acted('gen1', since);
    scene.start(false).advance(1_000);
    scene.factStore.observe({
      kind: 'playlist',
      channel: 'gen1',
      at: scene.at,
      monoMs: scene.nowMs,
      source: 'hls',
      ok: true,
      revision: 'closed by the old process',
      ended: true,
      newestSegmentBytes: 100,
    });
    expect(verifyFresh(scene.facts(), action, scene.nowMs).state).toBe('not_yet');
    expect(verifyFresh(scene.facts(), action, scene.nowMs + 60_000).state).toBe('not_yet');
    scene.die({ code: 1 }, 'fatal').look();
    expect(verifyFresh(scene.facts(), action, scene.nowMs).state).toBe('failed');
  });
});
