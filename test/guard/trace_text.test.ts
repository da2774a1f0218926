import { describe, expect, it } from 'vitest';
import { askApproval } from '../../src/control/approvals.ts';
import type { FailureClass } from '../../src/core/classification.ts';
import { DENIAL_CODES, type GuardCheck } from '../../src/core/plan.ts';
import type { ToolName } from '../../src/core/tool.ts';
import type { Guard } from '../../src/guard/guard.ts';
import { aCall, anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench } from './bench.ts';
import { GROUP, staged } from './stage.ts';
import { WAYS, context } from './paths.ts';

/**
 * What an operator reads of each answer, literally: `reeve why` and the console show these lines and no others, so
 * a figure that goes missing or a wrong term there misleads an operator at night. See `__snapshots__`.
 */
const lineOf = ({ id, question, verdict, code, value, threshold }: GuardCheck): string =>
  `${id} ${question}: ${verdict}${code === undefined ? '' : ` ${code}`}: ${value}${threshold === '' ? '' : ` | ${threshold}`}`;

const PLAIN = bench().guard.preview(bench().request()).checks.map(lineOf);

interface Verdict {
  readonly verdict: 'allow' | 'deny';
  readonly because?: string;
  readonly retryAfterMs?: number | undefined;
}

/** The answer, then the lines of the trace in which it differs from that to a plain restart. */
function tell(verdict: Verdict, trace: readonly GuardCheck[]): string {
  const wait = verdict.retryAfterMs === undefined ? '' : ` (${verdict.retryAfterMs} ms)`;
  const head = verdict.because === undefined ? verdict.verdict : `${verdict.verdict}: ${verdict.because}${wait}`;
  return [head, ...trace.map(lineOf).filter((line) => !PLAIN.includes(line))].join('\n');
}
const decided = (decision: ReturnType<Guard['decide']>): string => tell(decision, decision.trace);

/** A look at one request: `change` alters the envelope, `more` the request. */
function asked(b: Bench, change: object = {}, more: Parameters<Bench['request']>[1] = {}): string {
  const request = b.request('news', more);
  const preview = b.guard.preview({ ...request, envelope: { ...request.envelope, ...change } });
  return tell(preview, preview.checks);
}
const using = (tool: ToolName, access: 'allow' | 'require_evidence' = 'allow') => ({
  call: aCall({ tool }),
  persona: aPersona({ tool_access_policy: { [tool]: access } }),
});
const found = (failureClassification: FailureClass | undefined) => ({ failureClassification });
const callOf = (with_: Parameters<typeof aCall>[0]) => ({ call: aCall(with_) });

it('shows of a plain restart what each question found and what it would need', () => {
  expect(PLAIN.join('\n')).toMatchSnapshot();
});

describe('explains in text', () => {
  it.each(DENIAL_CODES)('why it answers %s', (code) => {
    expect(decided(WAYS[code](bench()))).toMatchSnapshot();
  });

  it.each<[string, () => string]>([
    ['a target that does not exist', () => asked(bench(), {}, callOf({ target: { kind: 'fleet' } }))],
    [
      'a tool pointed at what it does not take',
      () => asked(bench(), {}, callOf({ tool: 'rebuild_playout', target: GROUP })),
    ],
    [
      'an engine that is not the own one',
      () =>
        asked(
          bench(),
          {},
          {
            ...using('inspect_pool_status'),
            ...callOf({ tool: 'inspect_pool_status', target: { kind: 'engine', id: 'far' } }),
          },
        ),
    ],
    ['a staged start without channels', () => asked(bench(), {}, callOf({ target: GROUP }))],
    [
      'a staged start that names a channel twice',
      () => asked(bench(), {}, callOf({ target: GROUP, channels: ['a', 'a'] })),
    ],
    ['a staged start of an unrelated channel', () => asked(bench(), {}, callOf({ target: GROUP, channels: ['news'] }))],
    ['evidence about another channel', () => asked(bench(), { scope: { kind: 'channel', id: 'sports' } })],
    ['no classification', () => asked(bench(), found(undefined))],
    ['no evidence', () => asked(bench(), { signals: [] })],
    ['too little confidence', () => asked(bench(), { confidence: 0.594 })],
    ['a cure that is no cure yet', () => asked(bench(), found('upstream_auth_expired'))],
    ['a cure that two fixes may open', () => asked(bench(), found('upstream_url_expired'))],
    [
      'a low risk on one kind of evidence',
      () => {
        const b = bench();
        const signals = [{ origin: 'log' as const, says: '', symptom: undefined, monoMs: b.nowMs() }];
        return asked(b, { ...found('guide_stale'), signals }, using('invalidate_cache'));
      },
    ],
    ['a wrong remedy of another tool', () => asked(bench(), found('guide_stale'), using('rebuild_playout'))],
    ['a look', () => asked(bench(), {}, using('fetch_recent_logs'))],
    ['a look at phase 0', () => asked(bench({ phase: 0 }), {}, using('fetch_recent_logs'))],
    [
      'a look in passive mode',
      () =>
        asked(
          bench(),
          {},
          { call: aCall({ tool: 'fetch_recent_logs' }), persona: aPersona({ operational_mode: 'passive' }) },
        ),
    ],
    ['a low-risk change at phase 1', () => asked(bench({ phase: 1 }), found('guide_stale'), using('invalidate_cache'))],
    [
      'a medium risk in containment',
      () => asked(bench({ live: { poolPressure: 1 } }), found('playout_empty'), using('rebuild_playout')),
    ],
    [
      'a low risk in containment',
      () => asked(bench({ live: { poolPressure: 1 } }), found('guide_stale'), using('invalidate_cache')),
    ],
  ])('what it makes of %s', (_, ask) => {
    expect(ask()).toMatchSnapshot();
  });

  it('how old evidence is, by its youngest signal', () => {
    const b = bench();
    const nowMs = b.nowMs();
    const signals = [130_000, 125_000, 140_000].map((ageMs) => ({
      origin: 'probe' as const,
      says: '',
      symptom: undefined,
      monoMs: nowMs - ageMs,
    }));
    expect(asked(b, { signals })).toMatchSnapshot();
  });

  it('every reason of containment, each once, and the longer cooldown that it brings', () => {
    const b = bench({ live: { poolPressure: 0.95 } });
    b.world.frozen = true;
    b.contain();
    b.guard.distrustJournal('the chain is broken');
    expect(asked(b)).toMatchSnapshot();
    expect(asked(b, {}, using('fetch_recent_logs'))).toMatchSnapshot();
  });

  it('that an incident on the group, or a shared cause in it, is being handled', () => {
    const b = bench();
    b.record(
      { type: 'incident.opened', incident: anIncident({ id: 'inc-g', scope: { kind: 'group', id: 'encoders' } }) },
      undefined,
      'inc-g',
    );
    expect(asked(b)).toMatchSnapshot();
    const c = bench();
    c.world.sharedCauses = ['encoders'];
    c.contain();
    expect(asked(c)).toMatchSnapshot();
  });

  it('that the end of an earlier action is not known', () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict === 'allow') {
      b.started(decision.permit.terms);
      b.record({ type: 'tool.unknown', permit: decision.permit.terms, because: 'crash' }, 'news');
    }
    b.pass(3_600_000);
    expect(asked(b)).toMatchSnapshot();
  });

  it('how much of the caps, the breaker and the window is used', () => {
    const b = bench();
    b.restart('news', { callMs: 1_500, cured: false });
    b.foreignStart('news', 'pid-7');
    expect(asked(b)).toMatchSnapshot();
    const decision = b.guard.decide(b.request('news', using('fetch_recent_logs')));
    if (decision.verdict === 'allow') b.perform(decision.permit);
    expect(asked(b, {}, using('fetch_recent_logs'))).toMatchSnapshot();
  });

  it('that the last use of a tool is still under way', () => {
    const b = bench();
    const decision = b.guard.decide(b.request('news', using('fetch_recent_logs')));
    if (decision.verdict === 'allow') b.started(decision.permit.terms);
    b.pass(1_000);
    expect(asked(b, {}, using('fetch_recent_logs'))).toMatchSnapshot();
  });

  it('that the breaker is half open and its probe free', () => {
    const b = bench({ limits: { breakerFailuresMax: 1 } });
    b.restart('news', { cured: false });
    b.pass(120_000);
    expect(asked(b)).toMatchSnapshot();
  });

  it('what the viewers of a channel would lose, and what was spent on them', () => {
    const b = bench({ limits: { viewerSecondsPerHourMax: 1_500 }, live: { viewers: 100 } });
    const healthy = { channelHealthy: undefined };
    expect(asked(b, healthy)).toMatchSnapshot();
    expect(asked(b)).toMatchSnapshot();
    expect(asked(b, healthy, using('fetch_recent_logs'))).toMatchSnapshot();
    const request = b.request();
    const decision = b.guard.decide({ ...request, envelope: { ...request.envelope, ...healthy } });
    if (decision.verdict === 'allow') b.perform(decision.permit, { cured: true });
    b.pass(600_000);
    expect(asked(b, healthy)).toMatchSnapshot();
  });

  it('whether a person said yes to exactly this', () => {
    const b = bench();
    const persona = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });
    const { call, incident, run, envelope } = b.request();
    const about = { call, incident: incident.id, run, classification: envelope.failureClassification };
    b.ledger.append([askApproval({ id: 'apr-1', ...about, askedAt: 0, askedMs: b.nowMs() }, 600_000)]);
    expect(asked(b, {}, { persona, approval: 'apr-1' })).toMatchSnapshot();
    b.record({ type: 'approval.answered', id: 'apr-1', yes: true, ...context });
    expect(asked(b, {}, { persona, approval: 'apr-1' })).toMatchSnapshot();
  });
});

describe('shows of a staged start', () => {
  it('that its plan is weighed like any other action, and its children only by what may have changed', () => {
    const { b, plan, child, envelopeOfGroup, request } = staged(3);
    const weighed = b.guard.preview(envelopeOfGroup(request()));
    expect(tell(weighed, weighed.checks)).toMatchSnapshot();
    const parent = plan();
    expect(decided(child(parent, 'c0'))).toMatchSnapshot();
    expect(decided(child(parent, 'c1'))).toMatchSnapshot();
  });

  it('how far it has come, that a channel was started already, and what ended it', () => {
    const { plan, child, startChild, b } = staged(4);
    const parent = plan();
    startChild(parent, 'c0');
    expect(decided(child(parent, 'c0'))).toMatchSnapshot();
    startChild(parent, 'c1', false);
    expect(decided(child(parent, 'c2'))).toMatchSnapshot();
    b.finished(parent.terms);
    expect(decided(child(parent, 'c3'))).toMatchSnapshot();
  });

  it('that it has not begun', () => {
    const { b, request, envelopeOfGroup, child } = staged(2);
    const decision = b.guard.decide(envelopeOfGroup(request()));
    if (decision.verdict === 'allow') expect(decided(child(decision.permit, 'c0'))).toMatchSnapshot();
    expect(decision.verdict).toBe('allow');
  });
});
