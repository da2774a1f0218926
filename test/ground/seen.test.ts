import { describe, expect, it } from 'vitest';
import { pulling, restartable, Scene } from './scene.ts';

/** What real supervisors, encoders and servers did, and what a first form of this room made of it. */
describe('seen on real servers', () => {
  it('a busy moment that is caught up with is no slow encoder', () => {
    const scene = new Scene();
    scene.set({ speed: 0.86 }).advance(7_000).set({ speed: 1.2 });
    expect(scene.verdicts(20_000)).toEqual(['fine true']);
  });

  it('a crash loop that an operator repaired is no trouble any more 25 s later', () => {
    const scene = new Scene();
    for (let round = 0; round < 5; round += 1) {
      scene.start(false).advance(2_000).log('permission_denied').die({ code: 1 }).look().advance(300);
    }
    scene.start();
    scene.advance(25_500);
    expect(scene.verdicts(60_000)).toEqual(['fine true']);
  });

  it('a crash loop keeps the name of its cause until it has ended', () => {
    const scene = pulling();
    const heard: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      scene
        .start()
        .advance(3_000)
        .log('corrupt_input', { count: 5 + round })
        .die({ code: 0 })
        .look()
        .advance(300);
    }
    scene.start();
    heard.push(...scene.verdicts(60_000));
    expect(heard).not.toContain('item_churn');
    expect(heard.at(-1)).toBe('fine true');
  });

  it('a puller that died again and again in an outage is no loop once the source is back and it runs', () => {
    const scene = pulling();
    scene.set({ source: 'refused' });
    for (let round = 0; round < 4; round += 1) {
      scene.start(false, 'silent').advance(4_000).log('upstream_unreachable').die({ code: 1 }).look().advance(500);
    }
    scene.set({ source: 'ok' }).start();
    const heard = scene.verdicts(60_000);
    expect(heard).not.toContain('item_churn');
    expect(restartable(heard)).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
  });

  it('lines of a process that its engine replaced do not page for the new one', () => {
    const scene = new Scene();
    scene
      .log('fd_exhaustion')
      .advance(100)
      .die({ code: 1 })
      .look()
      .log('process_exit_nonzero')
      .advance(100)
      .start()
      .look();
    expect(scene.verdicts(20_000).filter((one) => one.endsWith('host_exhausted'))).toEqual([]);
    expect(scene.verdict()).toBe('fine true');
  });

  it('an encoder that drops frames until the timestamps have caught up is not stuck, and never too slow', () => {
    const scene = new Scene({ id: 'rtmp1' }, 'rtmp1');
    scene.advance(900).set({ speed: 0, producing: false, cpu: 40 });
    const heard = scene.verdicts(120_000);
    expect(restartable(heard)).toEqual([]);
    expect(heard).not.toContain('encode_too_slow');
    expect(scene.find()).toMatchObject({
      classification: 'publisher_lost',
      because: expect.stringContaining('came back with its clock at zero'),
    });
  });

  it('one that drops frames and says that it is overloaded is too slow', () => {
    const scene = new Scene();
    scene.set({ speed: 0, producing: false, cpu: 40 });
    scene.advance(20_000).log('encoder_overload');
    expect(scene.verdict()).toBe('encode_too_slow');
  });

  it('one that repeats its last report and does nothing is', () => {
    const scene = new Scene();
    scene.set({ speed: 0, producing: false, cpu: 0 });
    expect(scene.verdicts(20_000).at(-1)).toBe('output_stalled');
  });

  it('a process that waits long for its first output is not stuck before 20 s', () => {
    const scene = new Scene();
    scene.start(false, 'silent').set({ cpu: 0 });
    scene.look().set({ closed: true });
    expect(restartable(scene.verdicts(19_000))).toEqual([]);
    expect(scene.verdicts(5_000).at(-1)).toBe('output_stalled');
  });

  it('a loop behind a dead server of the output keeps the name that the process table gives it', () => {
    const scene = new Scene();
    scene.set({ server: 'refused' }).advance(6_000);
    const heard: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      scene.start(false, 'silent');
      heard.push(...scene.verdicts(2_000));
      scene.log('upstream_unreachable').die({ code: 1 }).look();
      heard.push(...scene.verdicts(300));
    }
    expect(heard.at(-1)).toBe('upstream_unavailable');
    expect(scene.start(false, 'silent').verdicts(2_000)).toEqual(['upstream_unavailable']);
  });

  it('a source that answers now and then is one outage, not alternately an outage and a slow encoder', () => {
    const scene = pulling();
    scene.set({ speed: 0.1, producing: false, source: 'timeout' }).advance(20_000);
    const heard: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      heard.push(...scene.set({ source: 'ok' }).verdicts(10_000), ...scene.set({ source: 'timeout' }).verdicts(10_000));
    }
    expect([...new Set(heard)]).toEqual(['upstream_unavailable']);
  });

  it('a channel that wakes up again does not become unknown on its way', () => {
    const frozen = new Scene();
    frozen.set({ halted: true, producing: false }).advance(30_000);
    frozen.set({ halted: false, producing: true });
    expect(frozen.verdicts(20_000)).not.toContain('unknown');
    const silent = pulling();
    silent.set({ source: 'timeout', producing: false, speed: undefined, cpu: 0 }).advance(300_000);
    silent.set({ source: 'ok', producing: true, speed: 1, cpu: 100 });
    expect(silent.verdicts(40_000)).not.toContain('unknown');
  });

  it('a closing playlist of the old process does not make the new one healthy', () => {
    const scene = new Scene();
    scene.start(false, 'silent').look();
    const { at, nowMs: monoMs } = scene;
    const closed = { kind: 'playlist', channel: 'gen1', at, monoMs, source: 'hls', ok: true, revision: 'end' } as const;
    scene.factStore.observe({ ...closed, ended: true });
    expect(scene.verdict()).toBe('fine unknown');
  });
});
