import { describe, expect, it } from 'vitest';
import { emptyPlayout, refuseCredentials } from '../../src/simulation/treatments.ts';
import { aPlan, plansOf, plant } from './plant.ts';

const news = ({ service }: ReturnType<typeof plant>) => service.at('ch0');

describe('a channel of the service', () => {
  it('plays from the beginning and writes a segment every two seconds', () => {
    const world = plant();
    const before = world.service.segments(news(world));
    world.until(3_999);
    expect([world.status(), world.service.segments(news(world)) - before]).toEqual(['playing', 1]);
    world.until(4_000);
    expect(world.service.segments(news(world)) - before).toBe(2);
  });

  it('must exist', () => {
    expect(() => plant().service.at('films')).toThrow('there is no channel films');
  });
});

describe('a start', () => {
  it('ends the process before it, and gives output after one and a half to five seconds', () => {
    const waits = Array.from({ length: 30 }, (_, seed) => {
      const world = plant(plansOf(1), { seed });
      const before = news(world).process;
      world.until(1_000);
      const process = world.service.restart('ch0', 'reeve');
      expect([before.endedMs, world.status(), world.started]).toEqual([1_000, 'young', [process]]);
      const playsMs = news(world).playsFromMs;
      world.until(playsMs - 1);
      expect([world.status(), process.playedMs]).toEqual(['young', undefined]);
      world.until(playsMs);
      expect([world.status(), process.playedMs]).toEqual(['playing', playsMs]);
      return playsMs - 1_000;
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_500);
    expect(Math.max(...waits)).toBeLessThan(5_000);
    expect(new Set(waits).size).toBeGreaterThan(20);
  });

  it('takes longer where others start on the same engine, and only in a world where starts cost something', () => {
    const playedMs = (startCost: boolean, atOnce: number) => {
      const world = plant(plansOf(16), { startCost });
      for (let at = 0; at < atOnce; at += 1) world.service.restart(`ch${at}`, 'reeve');
      world.until(60_000);
      return news(world).process.playedMs!;
    };
    expect(playedMs(true, 16)).toBeGreaterThan(playedMs(true, 1));
    expect(playedMs(false, 16)).toBe(playedMs(false, 1));
    const world = plant(plansOf(16), { startCost: true });
    for (const { id } of plansOf(16)) world.service.restart(id, 'reeve');
    for (const { id } of plansOf(16).slice(1)) world.service.crash(id, { exitSignal: 9 });
    world.until(60_000);
    expect(news(world).process.playedMs).toBe(playedMs(true, 1));
  });

  it('has a name of its own, or once that of the process before it', () => {
    const { service } = plant();
    const first = service.at('ch0').process.generation;
    service.at('ch0').namesakeNext = true;
    expect(service.restart('ch0', 'human').generation).toBe(first);
    expect(service.restart('ch0', 'human').generation).not.toBe(first);
  });
});

describe('a process that ends', () => {
  it('stays dead, can be started, and is in the log only with an exit code', () => {
    const world = plant(plansOf(2));
    world.service.crash('ch0', { exitSignal: 11 });
    world.service.crash('ch1', { exitCode: 1 });
    world.until(600_000);
    expect([world.status('ch0'), world.status('ch1')]).toEqual(['curable', 'curable']);
    expect(world.symptoms).toEqual([['ch1', 'process_exit_nonzero', 0]]);
    expect(news(world)).toMatchObject({ state: 'exited', exitSignal: 11, exitCode: undefined });
  });

  it('ends once', () => {
    const world = plant();
    world.service.crash('ch0', { exitCode: 1 });
    world.service.crash('ch0', { exitCode: 2 });
    expect([news(world).exitCode, world.symptoms.length]).toEqual([1, 1]);
  });

  it('leaves the channel as wanted when a person stopped it; when anybody else did, it needs a start', () => {
    const world = plant();
    world.service.stop('ch0', 'human');
    expect([world.status(), news(world).exitSignal]).toEqual(['stopped', 15]);
    world.service.stop('ch0', 'reeve');
    expect(world.status()).toBe('curable');
  });

  it('in a hiccup is started again by its engine, unless somebody did so before', () => {
    const world = plant();
    world.service.hiccup('ch0', 800);
    world.until(799);
    expect(news(world).state).toBe('exited');
    world.until(800);
    expect([news(world).state, news(world).process.by]).toEqual(['running', 'engine']);
    world.until(20_000);
    world.service.hiccup('ch0', 800);
    world.service.restart('ch0', 'human');
    world.until(30_000);
    expect(news(world).process.by).toBe('human');
  });
});

describe('output that stands still', () => {
  it('of a frozen process comes again only with another process', () => {
    const world = plant();
    world.until(10_000);
    world.service.freeze('ch0');
    const before = world.service.segments(news(world));
    world.until(600_000);
    world.service.freeze('ch0');
    expect([world.status(), news(world).frozenMs]).toEqual(['curable', 10_000]);
    expect([world.service.segments(news(world)), world.service.produces(news(world))]).toEqual([before, false]);
    world.service.restart('ch0', 'reeve');
    world.until(610_000);
    expect([world.status(), world.service.produces(news(world))]).toEqual(['playing', true]);
  });

  it('of a stall comes again by itself', () => {
    const world = plant();
    world.service.stall('ch0', 5_000);
    world.until(4_999);
    expect([world.status(), world.service.produces(news(world))]).toEqual(['self_healing', false]);
    world.until(5_000);
    expect([world.status(), world.service.produces(news(world))]).toEqual(['playing', true]);
  });

  it('with nothing to play cannot be cured by a start, but by what it lacks', () => {
    const world = plant();
    emptyPlayout(world.service, 'ch0', false);
    world.service.restart('ch0', 'reeve');
    world.until(60_000);
    expect(world.status()).toBe('incurable');
    world.service.ail('ch0', undefined);
    expect(world.status()).toBe('playing');
  });

  it('of a slow encoder goes on at a segment every 3.2 seconds, and is counted whole', () => {
    const world = plant();
    const before = world.service.segments(news(world));
    world.service.slow('ch0', 32_000);
    world.until(16_000);
    expect([world.service.segments(news(world)) - before, world.status()]).toEqual([5, 'playing']);
    world.until(32_000);
    expect(world.service.segments(news(world)) - before).toBe(10);
    world.until(36_000);
    expect(world.service.segments(news(world)) - before).toBe(12);
  });
});

describe('a channel that is unfit', () => {
  it('dies within a second, is tried four times by its engine, and is fit after so long', () => {
    const world = plant();
    world.service.unfit('ch0', 60_000, 3_000);
    world.until(500);
    expect([news(world).state, world.status()]).toEqual(['exited', 'incurable']);
    world.until(59_999);
    expect([news(world).state, world.started.length, world.status()]).toEqual(['fatal', 4, 'incurable']);
    world.until(60_000);
    expect([world.status(), world.service.downtime.episodeOf('ch0')?.curableMs]).toEqual(['curable', 60_000]);
    expect(new Set(world.symptoms.map(([, kind]) => kind))).toEqual(new Set(['process_crash']));
    world.service.restart('ch0', 'human');
    world.until(120_000);
    expect(world.status()).toBe('playing');
  });

  it('dies as soon as its newest process does, and not with the one before', () => {
    const world = plant();
    world.service.unfit('ch0', 60_000, 3_000);
    world.until(100);
    world.service.restart('ch0', 'human');
    world.until(3_099);
    expect([news(world).state, world.started.length]).toEqual(['running', 1]);
    world.until(3_100);
    expect(news(world).state).toBe('exited');
  });

  it('never gives up on an engine that tries for ever', () => {
    const world = plant();
    world.service.retryForEver('e0', 300_000);
    world.service.unfit('ch0', 60_000, 1_000);
    world.until(90_000);
    expect([world.status(), world.started.length > 15]).toEqual(['playing', true]);
  });
});

describe('the origin of a group', () => {
  it('that is out takes the output of its own channels, and of no others', () => {
    const others = Array.from({ length: 30 }, (_, at) => aPlan(`other${at}`, { group: 'g1' }));
    const world = plant([aPlan('ch0'), ...others]);
    world.service.outage('g0', 30_000);
    expect([world.status(), world.status('other0')]).toEqual(['incurable', 'playing']);
    world.until(29_999);
    expect(world.service.isOut(news(world))).toBe(true);
    world.until(30_000);
    expect(world.service.isOut(news(world))).toBe(false);
    expect(world.status()).not.toBe('incurable');
    expect(new Set(world.service.downtime.episodes.map(({ channel }) => channel))).toEqual(new Set(['ch0']));
  });

  it('takes some processes with it, freezes some when it is back, and lets most go on', () => {
    const world = plant(plansOf(60));
    world.service.outage('g0', 30_000);
    world.until(11_000);
    const dead = [...world.service.channels.values()].filter(({ state }) => state === 'exited').length;
    world.until(30_000);
    const frozen = [...world.service.channels.values()].filter(({ frozenMs }) => frozenMs !== undefined).length;
    const playing = [...world.service.channels.values()].filter((one) => world.service.produces(one)).length;
    expect([dead > 10 && dead < 35, frozen > 2 && frozen < 20, playing]).toEqual([true, true, 60 - dead - frozen]);
  });

  it('that refuses does so until it admits again', () => {
    const world = plant();
    refuseCredentials(world.service, 'g0', 30_000);
    expect([world.status(), world.service.isRefused(news(world))]).toEqual(['incurable', true]);
    world.until(30_000);
    expect([world.status(), world.service.produces(news(world))]).toEqual(['playing', true]);
  });
});

describe('a person who repairs a channel', () => {
  it('repairs what is wrong with it and starts it where that helps', () => {
    const world = plant(plansOf(2));
    world.service.unfit('ch0', 600_000, 1_000);
    emptyPlayout(world.service, 'ch1', true);
    world.until(60_000);
    world.service.repair('ch0');
    world.service.repair('ch1');
    world.until(70_000);
    expect([world.status('ch0'), world.status('ch1')]).toEqual(['playing', 'playing']);
    expect(news(world).process.by).toBe('human');
    expect(world.service.at('ch1').process.by).toBe('first');
  });
});

describe('the whole service', () => {
  it('is undisturbed while all play and nothing is about to happen to any', () => {
    const world = plant(plansOf(2));
    expect(world.service.serene).toBe(true);
    world.service.slow('ch1', 10_000);
    expect(world.service.serene).toBe(false);
    world.until(10_000);
    expect(world.service.serene).toBe(true);
    world.service.freeze('ch1');
    expect(world.service.serene).toBe(false);
  });

  it('is healed of every lasting trouble, and what is dead stays dead', () => {
    const world = plant(plansOf(4));
    world.service.stall('ch0', 600_000);
    emptyPlayout(world.service, 'ch1', true);
    world.service.crash('ch2', { exitSignal: 9 });
    world.service.slow('ch3', 600_000);
    refuseCredentials(world.service, 'g0', 600_000);
    world.service.heal();
    expect(plansOf(4).map(({ id }) => world.status(id))).toEqual(['playing', 'playing', 'curable', 'playing']);
    expect(world.service.at('ch3').slowUntilMs).toBe(0);
  });

  it('keeps account of how long each channel was down', () => {
    const world = plant();
    world.until(1_000);
    world.service.crash('ch0', { exitSignal: 9 });
    world.until(5_000);
    world.service.restart('ch0', 'human');
    world.until(20_000);
    expect(world.service.downtime.episodes).toMatchObject([{ fromMs: 1_000, toMs: news(world).playsFromMs }]);
  });
});
