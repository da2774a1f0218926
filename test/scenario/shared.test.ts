import { describe, expect, it } from 'vitest';
import { aSymptom } from '../support/a.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const DEAD = ['a', 'b', 'c'];
const reasons = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.reason);
const restarted = (world: World) => world.engine.restarts.map(({ channel }) => channel);
const scopes = (world: World) => world.facts('incident.opened').map(({ incident }) => incident.scope.kind);

async function playing(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness({ channels: NAMES, ...options });
  await world.live(10_000);
  return world;
}

/** The origin of all is gone, and it takes these down; they do not come back by themselves. */
function cutOff(world: World, names: readonly string[]): void {
  for (const name of names) {
    world.engine.deadSources.add(name);
    world.engine.freeze(name);
  }
}

describe('channels that died together', () => {
  it('are started one by one when no more have died for a while', async () => {
    const world = await playing();
    for (const name of DEAD) world.engine.kill(name);
    await world.live(25_000);
    expect(restarted(world)).toEqual([]);
    await world.live(200_000);
    expect(restarted(world)).toEqual(DEAD);
    const verified = world.facts('attempt.verified').map(({ permit }) => permit.call.target);
    expect(verified).toEqual(DEAD.map((id) => ({ kind: 'channel', id })));
    expect(world.facts('attempt.relapsed')).toEqual([]);
    expect(world.pipeline.incidents().open).toEqual([]);
  });

  it('leave another of their group to the person who stops it while they are started', async () => {
    const world = await playing();
    for (const name of DEAD) world.engine.kill(name);
    for (let passed = 0; passed < 240_000 && restarted(world).length === 0; passed += 250) await world.live(250);
    world.engine.stop('e');
    await world.live(240_000);
    expect(restarted(world)).toEqual(DEAD);
    expect(scopes(world)).toEqual(['group']);
    expect(world.pipeline.watch.watched('e')?.finding).toMatchObject({ trouble: false, quiet: true });
  });

  it('take one with them that dies a little later', async () => {
    const world = await playing();
    for (const name of DEAD) world.engine.kill(name);
    await world.live(5_000);
    world.engine.kill('d');
    await world.live(240_000);
    expect(restarted(world).toSorted()).toEqual([...DEAD, 'd']);
    expect(scopes(world)).toEqual(['group']);
  });

  it('stay down, all but the canary, when the canary does not come up, and a person is paged', async () => {
    const world = await playing();
    world.engine.onRestart = async () => 'said yes and did nothing';
    for (const name of DEAD) world.engine.kill(name);
    await world.live(300_000);
    expect(restarted(world)).toEqual(['a']);
    expect(reasons(world)).toContain('not_helping');
    const proof = world.pipeline.watch.proofOf({ kind: 'group', id: 'encoders' }, world.clock.monotonicMs());
    expect(proof?.says).toBe('nobody can witness, so a canary will; no death for 60 s is waited for');
  });

  it('do not count a canary that plays as failed when the second channel does not come up', async () => {
    const world = await playing();
    for (const name of DEAD) world.engine.kill(name);
    const working = world.engine.restart.bind(world.engine);
    world.engine.onRestart = async (name, context) => {
      world.engine.onRestart = undefined;
      if (name !== 'a') return 'said yes and did nothing';
      world.engine.restarts.pop();
      const answer = await working(name, context);
      world.engine.onRestart = async () => 'said yes and did nothing';
      return answer;
    };
    await world.live(300_000);
    expect(restarted(world)).toEqual(['a', 'b', 'c']);
    expect(world.facts('attempt.relapsed')).toEqual([]);
    expect(reasons(world)).toContain('not_helping');
  });

  it('are started as far as the time of one run reaches, and the next run goes on with the rest', async () => {
    const names = Array.from({ length: 14 }, (_, at) => `c${at}`);
    const world = await playing({ channels: names, limits: { runMsMax: 60_000, stagedStartsPerMinuteMax: 4 } });
    for (const name of names) world.engine.kill(name);
    await world.live(90_000);
    const count = restarted(world).length;
    expect(count).toBeGreaterThan(2);
    expect(count).toBeLessThan(names.length);
    await world.live(900_000);
    expect(restarted(world).toSorted()).toEqual(names.toSorted());
    expect(reasons(world)).not.toContain('not_helping');
    expect(reasons(world)).not.toContain('internal');
  });

  it('are not started on when the persona is edited to allow no restart in the middle of it', async () => {
    const world = await playing();
    for (const name of DEAD) world.engine.kill(name);
    while (world.engine.restarts.length === 0) await world.live(250);
    world.reload({ persona: { restart_cap: 0 } });
    await world.live(120_000);
    expect(restarted(world)).toEqual(['a']);
  });

  it('are started though the permit of the plan has run out before the second of them is due', async () => {
    const world = await playing({ limits: { permitMs: 1_000 } });
    for (const name of DEAD) world.engine.kill(name);
    await world.live(240_000);
    const [plan, , last] = world.facts('tool.started').map(({ permit }) => permit);
    expect(last!.grantedMs).toBeGreaterThan(plan!.expiresMs);
    expect(restarted(world)).toEqual(DEAD);
  });
});

describe('a source that several channels lose', () => {
  it('is one incident and one page after it has lasted, and starts nothing while it does', async () => {
    const world = await playing({ sources: true });
    cutOff(world, DEAD);
    await world.live(55_000);
    expect(reasons(world)).toEqual([]);
    await world.live(60_000);
    expect(reasons(world)).toEqual(['lasting']);
    expect(scopes(world)).toEqual(['group']);
    expect(restarted(world)).toEqual([]);
  });

  it('resolves its page by itself when the source is back and all play again', async () => {
    const world = await playing({ sources: true });
    cutOff(world, DEAD);
    await world.live(100_000);
    for (const name of DEAD) {
      world.engine.deadSources.delete(name);
      world.engine.startByHand(name);
    }
    await world.live(60_000);
    expect(world.facts('incident.closed')).toMatchObject([{ ending: 'self_healed' }]);
    expect(world.outbox().pages.map(({ resolved }) => resolved !== undefined)).toEqual([true]);
  });

  it('leaves the channels that are down to a staged start when it is back', async () => {
    const world = await playing({ sources: true });
    cutOff(world, DEAD);
    await world.live(40_000);
    world.engine.deadSources.clear();
    await world.live(240_000);
    expect(restarted(world)).toEqual(DEAD);
  });

  it('stays one incident while a channel that is down is started, also before the engine reports the result', async () => {
    const world = await playing({ sources: true });
    for (const name of DEAD) {
      world.engine.deadSources.add(name);
      Object.assign(world.engine.channels.get(name)!, { state: 'fatal', exitCode: 1 });
    }
    await world.live(40_000);
    world.engine.onRestart = async (name) => {
      await world.clock.sleep(3_000);
      world.engine.startByHand(name);
      return 'started at last';
    };
    world.engine.deadSources.clear();
    await world.live(300_000);
    expect(restarted(world)).toEqual(DEAD);
    expect(scopes(world)).toEqual(['group']);
  });

  /** They end by themselves, and their final output is about a source without a probe. */
  function starve(world: World, names: readonly string[]): void {
    for (const channel of names) {
      const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
      world.pipeline.symptom(aSymptom(moment, { channel, kind: 'upstream_unreachable' }));
      Object.assign(world.engine.channels.get(channel)!, { state: 'fatal', exitCode: 1 });
    }
  }

  it('is known to be back, where it has no probe, when those play again that lost it too', async () => {
    const world = await playing();
    starve(world, DEAD);
    await world.live(120_000);
    expect([restarted(world), reasons(world), scopes(world)]).toEqual([[], ['lasting'], ['group']]);
    for (const name of ['a', 'b']) world.engine.startByHand(name);
    await world.live(20_000);
    expect(restarted(world)).toEqual([]);
    await world.live(200_000);
    expect(restarted(world)).toEqual(['c']);
    expect(world.pipeline.incidents().open).toEqual([]);
    expect(world.pipeline.guardState().containments).toEqual({});
  });

  it('is not known to be back by those that never lost it', async () => {
    const world = await playing();
    starve(world, DEAD);
    await world.live(600_000);
    expect([restarted(world), scopes(world)]).toEqual([[], ['group']]);
  });

  it('takes over a channel that a person was paged about, without a moment in which no page is open', async () => {
    const world = await playing({ sources: true });
    cutOff(world, ['a']);
    await world.live(90_000);
    expect(reasons(world)).toEqual(['lasting']);
    cutOff(world, ['b', 'c', 'd']);
    let unpaged = 0;
    for (let passed = 0; passed < 90_000; passed += 250) {
      await world.live(250);
      if (world.outbox().pages.every(({ resolved }) => resolved !== undefined)) unpaged += 1;
    }
    const absorbed = world.entries.findIndex(
      ({ fact }) => fact.type === 'incident.closed' && fact.ending === 'absorbed',
    );
    const before = world.entries
      .slice(0, absorbed)
      .flatMap(({ fact }) => (fact.type === 'escalation.raised' ? fact : []));
    expect(before.map(({ escalation }) => escalation.scope.kind)).toEqual(['channel', 'group']);
    expect(reasons(world)).toHaveLength(2);
    expect(unpaged).toBe(0);
  });

  it('pages once, though a person was paged about two of its channels a moment ago', async () => {
    const world = await playing();
    const damaged = (channel: string) => {
      const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
      world.pipeline.symptom(aSymptom(moment, { channel, kind: 'corrupt_input', countInWindow: 3 }));
    };
    for (const name of ['a', 'b']) damaged(name);
    await world.live(10_000);
    expect(reasons(world)).toEqual(['no_plan', 'no_plan']);
    for (const name of DEAD) damaged(name);
    await world.live(10_000);
    expect(scopes(world)).toEqual(['channel', 'channel', 'group']);
    expect(reasons(world)).toHaveLength(3);
    expect(world.outbox().pages.filter(({ resolved }) => resolved === undefined)).toHaveLength(1);
  });

  it('does not keep the rest of its group shut because one of its channels has a trouble of its own', async () => {
    const world = await playing({ sources: true });
    cutOff(world, DEAD);
    await world.live(30_000);
    for (const name of ['a', 'b']) world.engine.startByHand(name);
    world.engine.kill('c', 15);
    world.engine.deadSources.clear();
    world.engine.onRestart = async () => 'said yes and did nothing';
    await world.live(400_000);
    const open = world.pipeline.incidents().open.map(({ incident }) => incident.scope);
    expect(open.filter(({ kind }) => kind === 'group')).toEqual([]);
    world.engine.onRestart = undefined;
    const before = world.engine.restarts.length;
    world.engine.kill('e');
    await world.live(30_000);
    expect(restarted(world).slice(before)).toEqual(['e']);
  });
});

describe('credentials that run out for several channels', () => {
  it('are fetched anew once, for the group as a whole', async () => {
    const world = pipelineHarness({
      channels: NAMES,
      personaWith: { tool_access_policy: { refresh_credentials: 'allow' } },
    });
    world.engine.capabilities.add('credentials');
    await world.live(10_000);
    world.engine.credentialsWork = false;
    for (const name of DEAD) {
      world.engine.freeze(name);
      for (const kind of ['auth_expired', 'auth_denied'] as const) {
        world.pipeline.symptom({
          at: world.clock.now(),
          monoMs: world.clock.monotonicMs(),
          channel: name,
          kind,
          origin: 'log',
          countInWindow: 5,
          windowMs: 60_000,
          confidence: 0.95,
          pattern: 'test',
          evidence: [],
        });
      }
    }
    await world.live(60_000);
    expect(world.facts('incident.opened').at(-1)?.incident.scope.kind).toBe('group');
    expect(world.engine.refreshes).toHaveLength(1);
    expect(world.facts('tool.finished').find(({ permit }) => permit.call.tool === 'refresh_credentials')).toMatchObject(
      {
        result: { ok: true },
      },
    );
  });

  it('are followed by one start of all whom they ran out for, also of one that it reached meanwhile', async () => {
    const world = await playing({
      personaWith: { tool_access_policy: { refresh_credentials: 'allow', restart_channel: 'allow' } },
    });
    world.engine.capabilities.add('credentials');
    world.engine.credentialsWork = false;
    const complain = (name: string): void => {
      for (const kind of ['auth_expired', 'auth_denied'] as const) {
        const { at, monoMs } = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
        const said = { origin: 'log', countInWindow: 5, windowMs: 60_000, confidence: 0.95 } as const;
        world.pipeline.symptom({ at, monoMs, channel: name, kind, ...said, pattern: 'test', evidence: [] });
      }
    };
    for (const name of [...DEAD, 'd']) world.engine.freeze(name);
    DEAD.forEach(complain);
    for (let looks = 0; looks < 40 && world.engine.refreshes.length === 0; looks += 1) await world.live(250);
    expect(world.engine.refreshes).toHaveLength(1);
    complain('d');
    await world.live(120_000);
    const refused = world
      .facts('guard.decided')
      .flatMap(({ decision }) => (decision.verdict === 'deny' ? decision.code : []));
    expect(refused).not.toContain('params_invalid');
    expect(restarted(world).toSorted()).toEqual([...DEAD, 'd']);
    expect(reasons(world)).not.toContain('guard_refused');
  });
});
