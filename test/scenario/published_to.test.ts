import { describe, expect, it } from 'vitest';
import { aSymptom } from '../support/a.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type Options = Parameters<typeof pipelineHarness>[0] & {
  /** Somebody looks at the server's status page. */
  readonly isWatched?: boolean;
};

/** Encoders that push to one streaming server, whose status page says who is there. */
async function pushing(channels: readonly string[], { isWatched = true, ...options }: Options = {}) {
  let isServerUp = true;
  const reach = {
    source: 'icecast',
    serverFails: () => !isServerUp,
    answers: (id: string): boolean => world.engine.processOf(id).state === 'running',
  };
  const world = pipelineHarness({ channels, ...(isWatched && { reach }), ...options });
  await world.live(30_000);
  /** Each says that something could not be reached, and ends. */
  const end = (named: readonly string[], pattern?: string): void => {
    for (const channel of named) {
      const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
      world.pipeline.symptom(aSymptom(moment, { channel, kind: 'upstream_unreachable', pattern }));
      world.engine.end(channel, 1);
    }
  };
  /** The server hangs up on each, and is back before anybody looks. */
  const hungUp = (named: readonly string[]): void => end(named, 'ffmpeg_publish_cut');
  return {
    world,
    end,
    hungUp,
    /** The server dies, and with it each encoder, which says of what. */
    serverDies: (named: readonly string[] = channels): void => {
      isServerUp = false;
      end(named);
    },
    serverIsGone: (): void => {
      isServerUp = false;
    },
    serverComesBack: (): void => {
      isServerUp = true;
    },
    restarted: () => world.engine.restarts.map(({ channel }) => channel),
  };
}

describe('channels that end because the server that they publish to does', () => {
  it('are not started while its status page says that it is not there', async () => {
    const { world, serverDies, restarted } = await pushing(['a', 'b']);
    serverDies();
    await world.live(300_000);
    expect(restarted()).toEqual([]);
    const [page, ...others] = world.facts('escalation.raised').map(({ escalation }) => escalation);
    expect(page?.details).toContain('upstream_unavailable');
    expect(others).toEqual([]);
    expect(world.pipeline.watch.watched('a')?.finding.because).toContain('the server radio:8000 is not available');
    const proof = world.pipeline.watch.proofOf({ kind: 'group', id: 'encoders' }, world.clock.monotonicMs());
    expect(proof?.says).toBe('server radio:8000 does not answer');
  });

  it.each([15_000, 120_000])('are started half a minute after it is back at last: out for %d ms', async (outMs) => {
    const { world, serverDies, serverComesBack, restarted } = await pushing(['a', 'b', 'c']);
    serverDies();
    await world.live(outMs);
    serverComesBack();
    await world.live(40_000);
    expect(restarted()).toEqual(['a', 'b', 'c']);
    await world.live(60_000);
    expect(world.pipeline.incidents().open).toEqual([]);
  });

  it('are started when it is back where there is but one of them, too', async () => {
    const { world, serverDies, serverComesBack, restarted } = await pushing(['a']);
    serverDies();
    await world.live(90_000);
    expect(restarted()).toEqual([]);
    serverComesBack();
    await world.live(40_000);
    expect(restarted()).toEqual(['a']);
  });

  it('wait for no server that never failed: a canary witnesses as before', async () => {
    const { world, end, restarted } = await pushing(['a', 'b', 'c']);
    end(['a', 'b', 'c']);
    await world.live(25_000);
    expect(restarted()).toEqual([]);
    await world.live(60_000);
    expect(restarted()).toEqual(['a', 'b', 'c']);
  });

  it.each([[['a']], [['a', 'b']], [['a', 'b', 'c']]])(
    'are started where it was back before a look missed it, when it has answered since: %j of five',
    async (ended) => {
      const { world, hungUp, restarted } = await pushing(['a', 'b', 'c', 'd', 'e']);
      hungUp(ended);
      await world.live(60_000);
      expect(restarted()).toEqual(ended);
      await world.live(60_000);
      expect(world.pipeline.incidents().open).toEqual([]);
    },
  );

  it('are started half a minute later where nobody looks at it, whatever the sources of others do', async () => {
    const { world, hungUp, restarted } = await pushing(['a', 'b', 'c'], { sources: ['c'], isWatched: false });
    world.engine.deadSources.add('c');
    hungUp(['a']);
    await world.live(25_000);
    expect(restarted()).toEqual([]);
    await world.live(20_000);
    expect(restarted()).toEqual(['a']);
  });

  it('are tried once, and left to a person when that did not help', async () => {
    const { world, hungUp, restarted } = await pushing(['a'], { isWatched: false });
    world.engine.onRestart = async () => {
      hungUp(['a']);
      return 'started';
    };
    hungUp(['a']);
    await world.live(600_000);
    expect(restarted()).toEqual(['a']);
    expect(world.facts('escalation.raised').map(({ escalation }) => escalation.reason)).toEqual(['not_helping']);
  });

  it.each([0, 1_000])(
    'are not started on a look at it from before they died: killed %d ms after one',
    async (lateMs) => {
      const { world, serverIsGone, serverComesBack, restarted } = await pushing(['a']);
      await world.live(lateMs);
      serverIsGone();
      world.engine.kill('a');
      await world.live(60_000);
      expect(restarted()).toEqual([]);
      serverComesBack();
      await world.live(40_000);
      expect(restarted()).toEqual(['a']);
      await world.live(60_000);
      expect(world.pipeline.incidents().open).toEqual([]);
    },
  );

  it('are started at once where it answers a look since then, and soon where nobody looks', async () => {
    const { world, restarted } = await pushing(['a']);
    world.engine.kill('a');
    await world.live(10_000);
    expect(restarted()).toEqual(['a']);
  });
});
