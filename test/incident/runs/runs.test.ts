import { describe, expect, it } from 'vitest';
import { controlProjection, type ControlState } from '../../../src/control/state.ts';
import { approvalHash } from '../../../src/control/approvals.ts';
import { countingIds } from '../../../src/core/id.ts';
import type { Escalation, Incident } from '../../../src/core/incident.ts';
import type { Draft, JournalFact } from '../../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Persona } from '../../../src/core/persona.ts';
import type { DenialCode, Plan } from '../../../src/core/plan.ts';
import { Permit } from '../../../src/core/tool.ts';
import { Runs, type RunsDeps } from '../../../src/incident/runs/runs.ts';
import { createKeyedQueues } from '../../../src/resilience/keyed_queues.ts';
import { aCall, aChannel, anAct, anEnvelope, anIncident, aPersona, permitTerms } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';

interface World {
  readonly incidents?: readonly Incident[];
  readonly more?: object;
  readonly code?: DenialCode;
  readonly plan?: Plan;
  readonly persona?: Partial<Persona>;
  readonly control?: ControlState;
}

/** Runs of one channel under a guard that refuses everything for one reason. */
function runsUnder({ code = 'cooldown', plan = anAct(), persona, control, incidents = [], more }: World = {}) {
  const raised: Partial<Escalation>[] = [];
  const { clock, advance } = fakeClock();
  const asked: string[] = [];
  const facts: JournalFact[] = [];
  const own = aPersona(persona);
  const deps = {
    clock,
    ids: countingIds(),
    lanes: createKeyedQueues({}, clock),
    append: (drafts: readonly Draft[]) => {
      facts.push(...drafts.map(({ fact }) => fact));
      return [];
    },
    settings: () => ({ limits: DEFAULT_LIMITS, rulebook: { decide: () => plan }, personaOf: () => own }),
    engines: new Map(),
    clean: (text: string) => text,
    lookCloser: () => undefined,
    factStore: { view: () => undefined },
    snapshots: { envelope: () => anEnvelope() },
    guard: {
      decide: ({ call }: { call: { tool: string } }) => {
        asked.push(call.tool);
        return { verdict: 'deny', code, because: 'a test says no', retryAfterMs: undefined, trace: [] };
      },
    },
    control: () => control ?? controlProjection.initial,
    channelOf: () => aChannel(),
    channelsIn: () => ['news'],
    phaseOf: () => 4,
    personaOf: () => own,
    handOver: () => undefined,
    incidentOf: (id: string) => incidents.find((one) => one.id === id),
    raise: (page: Partial<Escalation>) => {
      raised.push(page);
      return [];
    },
    ...more,
  };
  const runs = new Runs(deps as unknown as RunsDeps);
  const question = () => runs.askApproval(anIncident(), 'run-1', anEnvelope());
  return { runs, advance, asked, facts, raised, question, run: () => runs.run(anIncident(), 'run-1') };
}

describe('Reeve that was asked to stop', () => {
  it('asks the guard for nothing any more, in a run that is under way either', async () => {
    const { runs, asked, run } = runsUnder();
    await run();
    expect(asked).toEqual(['restart_channel']);
    runs.stop();
    expect((await run()).outcome).toMatchObject({ because: expect.stringContaining('asked to stop') });
    expect(asked).toHaveLength(1);
  });
});

describe('a change whose end is not known', () => {
  it('is paged with all whom the page of its incident lists by then, also who went down since the run began', async () => {
    const permit = Permit.grant(permitTerms({ expiresMs: 9_000_000 }));
    const engine = {
      capabilities: new Set(['restart']),
      restart: () => new Promise(() => undefined),
    };
    const allowing = {
      engines: new Map([['local', engine]]),
      guard: { decide: () => ({ verdict: 'allow', permit, trace: [] }) },
      factStore: { view: () => undefined, acted: () => undefined, changeEnded: () => undefined },
    };
    const incidents = [anIncident({ scope: { kind: 'group', id: 'g0' }, channels: ['news', 'late'] })];
    const { run, raised, facts, advance } = runsUnder({ incidents, more: allowing });
    void run();
    await advance(30_000);
    expect(facts.map(({ type }) => type)).toContain('tool.unknown');
    expect(raised).toMatchObject([{ channels: ['news', 'late'], scope: { kind: 'group', id: 'g0' } }]);
  });
});

describe('a run that needs the yes of a person', () => {
  it('asks for the very call that it would have made, once', async () => {
    const { run, question } = runsUnder({ code: 'approval_needed' });
    expect((await run()).outcome.kind).toBe('approval_needed');
    expect(question()).toMatchObject([
      { fact: { type: 'approval.asked', approval: { id: 'apr-1', call: aCall(), classification: 'process_crashed' } } },
    ]);
    expect(question()).toEqual([]);
  });

  it('asks for two people where the persona wants four eyes', async () => {
    const [one, two] = [undefined, { four_eyes: true }].map((persona) =>
      runsUnder({ code: 'approval_needed', ...(persona && { persona }) }),
    );
    for (const { run } of [one!, two!]) await run();
    expect(JSON.stringify(one!.question())).not.toContain('eyes');
    expect(two!.question()).toMatchObject([{ fact: { approval: { eyes: 2 } } }]);
  });

  it('asks nothing where the guard refused for another reason', async () => {
    const { run, question } = runsUnder();
    await run();
    expect(question()).toEqual([]);
  });
});

describe('a yes that is not used yet', () => {
  const yesTo = (call: ReturnType<typeof aCall>, proposed = false): ControlState => {
    const hash = approvalHash(call, 'process_crashed');
    const approval = { id: 'apr-7', call, incident: 'inc-1', run: 'run-0', classification: 'process_crashed', hash };
    const kept = { approval: { ...approval, ...(proposed && { proposed: true, askedBy: 'ann' }) }, state: 'yes' };
    return {
      ...controlProjection.initial,
      approvals: [{ ...kept, expiresMs: 9_000_000 }],
    } as unknown as ControlState;
  };

  it('binds the incident: another change is not made, and a person is paged', async () => {
    const { run, asked } = runsUnder({ control: yesTo(aCall({ tool: 'rebuild_playout' })) });
    expect((await run()).outcome).toMatchObject({
      kind: 'escalated',
      because: expect.stringContaining('the yes was to'),
    });
    expect(asked).toEqual([]);
  });

  it('does not keep a tool back that only looks', async () => {
    const plan = anAct({ tool: 'fetch_recent_logs' });
    const { run, asked } = runsUnder({ plan, control: yesTo(aCall()) });
    await run();
    expect(asked).toEqual(['fetch_recent_logs']);
  });

  it('lets the change be made that it names', async () => {
    const { run, asked } = runsUnder({ control: yesTo(aCall()) });
    await run();
    expect(asked).toEqual(['restart_channel']);
  });

  it('to what a person proposed is the plan, whatever the rules say', async () => {
    const plan: Plan = { kind: 'stop', because: 'nothing to do', by: { kind: 'rule', rule: 'r' } };
    const { run, asked } = runsUnder({ plan, control: yesTo(aCall({ tool: 'rebuild_playout' }), true) });
    await run();
    expect(asked).toEqual(['rebuild_playout']);
  });
});
