/** A known-bad Reeve: one piece of the source, replaced. A piece that is not found exactly once makes the mutant stale. */
export interface Mutant {
  readonly name: string;
  /** The law that it breaks. */
  readonly law: string;
  readonly edits: readonly (readonly [file: string, find: string, replace: string])[];
  /** Scenes in which it dies, the quickest first; the others are tried when it does not. */
  readonly scene: SceneName;
  readonly seed: number;
}

export const SCENES = [
  'explore',
  'storm',
  'people',
  'tight',
  'budget',
  'rolling',
  'random',
  'plain',
  'wall',
  'pool',
  'crashes',
  'looks',
  'deaf',
  'limbo',
  'asked',
  'staged',
  'asked_group',
  'varied',
  'witness',
  'sources',
  'canary',
  'adapters',
  'media',
  'probes',
  'shared',
  'everything',
  'property',
] as const;
export type SceneName = (typeof SCENES)[number];

type Edit = Mutant['edits'][number];
const one = (name: string, law: string, edit: Edit, scene: SceneName = 'storm', seed = 1): Mutant => ({
  name,
  law,
  edits: [edit],
  scene,
  seed,
});

/** Containment is asked twice: a guard that does not ask first is found only where it does not ask again either. */
const NOT_ASKED_AGAIN: Edit = ['src/core/tool.ts', ' && this.#mayBegin();', ';'];

/** What contains a group besides is asked for as well, so that a cause that begins too late is often made up for. */
const SINCE_ITS_NAME: Edit = [
  'src/ground/correlate/proof.ts',
  'episodeMs > 0 ? Math.min(cause.sinceMs, episodeMs) : cause.sinceMs',
  'cause.sinceMs',
];

const KNOWN_BAD: readonly Mutant[] = [
  one(
    'window_off_by_one',
    'S2',
    [
      'src/guard/checks/counters.ts',
      'if (fleet.count < max && ofEngine.count < max)',
      'if (fleet.count <= max && ofEngine.count <= max)',
    ],
    'tight',
  ),
  one(
    'window_halved',
    'S2',
    [
      'src/guard/state/window.ts',
      '.filter((atMs) => atMs > afterMs)',
      '.filter((atMs) => atMs > afterMs + look.windowMs / 2)',
    ],
    'tight',
  ),
  one(
    'foreign_starts_uncounted',
    'S2',
    ['src/guard/state/fold.ts', 'addStart(starts, { engine: fact.engine, channel, atMs, ...planned });', ''],
    'tight',
  ),
  one(
    'window_forgotten_over_restart',
    'S2',
    ['src/guard/state/fold.ts', 'edit.set({ plans: {} });', 'edit.set({ plans: {}, starts: [] } as never);'],
    'crashes',
  ),
  one(
    'storm_without_containment',
    'S2',
    [
      'src/guard/guard.ts',
      'if (count + 1 < max || isHeld) return [];',
      'if (count + 1 < max || isHeld || max > 0) return [];',
    ],
    'tight',
  ),
  {
    name: 'wall_clock',
    law: 'T1',
    edits: [
      [
        'src/journal/time.ts',
        'const rawNowMs = Math.floor(clock.monotonicMs());',
        'const rawNowMs = Math.floor(clock.now());',
      ],
      ['src/journal/time.ts', 'Math.floor(clock.monotonicMs()) + offsetMs', 'Math.floor(clock.now()) + offsetMs'],
    ],
    scene: 'wall',
    seed: 1,
  },
  one('cooldown_from_start', 'S1', [
    'src/guard/state/cooldown.ts',
    'if (use.endedMs !== undefined) return use.endedMs;',
    'if (use.startedMs !== undefined) return use.startedMs;',
  ]),
  one(
    'cooldown_reset_on_restart',
    'S1',
    [
      'src/guard/state/fold.ts',
      'if (known.open.length === 0 && known.breaker.probe === undefined) continue;',
      'Object.assign(edit.subject(key), { uses: {}, highRisk: undefined });',
    ],
    'crashes',
  ),
  one('spacing_on_channel_off', 'S4', [
    'src/guard/checks/counters.ts',
    'Math.max(spacingLeftMs(state, key, { limits, nowMs }), room.freeInMs)',
    'Math.max(spacingLeftMs(state, key, { limits, nowMs }) * 0, room.freeInMs)',
  ]),
  one('group_spacing_off', 'S4', [
    'src/guard/state/spacing.ts',
    'if (times.length < max) return',
    'if (times.length < max + 9) return',
  ]),
  one('group_spacing_off_by_one', 'S4', [
    'src/guard/state/spacing.ts',
    'if (times.length < max) return',
    'if (times.length <= max) return',
  ]),
  one('single_starts_spaced_like_plans', 'S4', [
    'src/guard/checks/counters.ts',
    'const room = isStaged(call) ? { ...counted, freeInMs: 0 } : counted;',
    'const room = isStaged(call) || isStart(call) ? { ...counted, freeInMs: 0 } : counted;',
  ]),
  one('two_high_risk_in_one_run', 'S4', [
    'src/guard/checks/counters.ts',
    'if (input.stepHighRiskUsed || usedByRun(state, run))',
    'if (input.stepHighRiskUsed)',
  ]),
  one(
    'breaker_never_opens',
    'S3',
    [
      'src/guard/checks/counters.ts',
      "return refuse('breaker_open', found, 'restarts of this channel keep failing');",
      'return pass(found.value, threshold);',
    ],
    'tight',
  ),
  one(
    'half_open_admits_two',
    'S3',
    [
      'src/guard/checks/counters.ts',
      "if (view.probe === undefined) return pass('half-open, this is the probe', threshold);",
      "if (threshold !== '') return pass('half-open, this is the probe', threshold);",
    ],
    'tight',
  ),
  one(
    'probe_lost_over_restart',
    'S3',
    ['src/guard/state/fold.ts', 'subject.breaker.probe.deadlineMs = nowMs;', 'delete subject.breaker.probe;'],
    'crashes',
  ),
  {
    name: 'breaker_without_generation',
    law: 'S3',
    edits: [
      ['src/guard/state/breaker.ts', 'if (admitted.generation !== state.generation) return;', ''],
      [
        'src/guard/state/breaker.ts',
        'if (admitted.generation !== state.generation || state.probe?.permit !== admitted.permit) return;',
        '',
      ],
    ],
    scene: 'tight',
    seed: 1,
  },
  one(
    'breaker_reopens_no_longer',
    'S3',
    [
      'src/guard/state/breaker.ts',
      'const doubled = limits.breakerOpenMs * 2 ** Math.min(30, Math.max(0, trips - 1));',
      'const doubled = limits.breakerOpenMs;',
    ],
    'tight',
  ),
  one(
    'incident_cap_off_by_one',
    'S5',
    ['src/guard/checks/counters.ts', 'if (used >= persona.restart_cap)', 'if (used > persona.restart_cap)'],
    'people',
  ),
  one(
    'relapse_refills_incident_cap',
    'S5',
    ['src/guard/state/relapses.ts', 'openedMs - before.atMs < RELAPSE_MS;', 'openedMs < before.atMs;'],
    'people',
  ),
  one(
    'last_cure_hides_those_before',
    'S5',
    ['src/guard/state/relapses.ts', 'cured !== undefined && cured.incident !== incident.id', 'atMs < 0'],
    'witness',
  ),
  one(
    'daily_cap_off_by_one',
    'S5',
    [
      'src/guard/state/caps.ts',
      'if (times.length < bound) return { count: times.length, freeInMs: 0 };',
      'if (times.length <= bound) return { count: times.length, freeInMs: 0 };',
    ],
    'tight',
  ),
  one(
    'daily_cap_refilled_by_new_incident',
    'S5',
    [
      'src/guard/state/caps.ts',
      '.filter((atMs) => atMs > nowMs - DAY_MS);',
      '.filter((atMs) => atMs > nowMs - DAY_MS && state.incidents[key] !== undefined);',
    ],
    'tight',
  ),
  {
    name: 'fleet_budget_off_by_one',
    law: 'S5',
    edits: [
      [
        'src/guard/checks/counters.ts',
        'if (count < max) return pass(found.value, found.threshold);',
        'if (count <= max) return pass(found.value, found.threshold);',
      ],
      ['src/guard/redeem.ts', 'nowMs).count <= fleetMax)', 'nowMs).count <= fleetMax + 1)'],
    ],
    scene: 'budget',
    seed: 1,
  },
  one(
    'fleet_budget_ends_with_the_cure',
    'S5',
    [
      'src/guard/state/verdicts.ts',
      '  if (terms.parent !== undefined) prove(edit, record, terms, true);',
      '  prove(edit, record, terms, true);',
    ],
    'budget',
  ),
  one(
    'announced_starts_of_everybody',
    'S2',
    [
      'src/control/state.ts',
      '  return windowOf({ ...state, windows: rolling }, scopes, atMs);',
      '  return rolling.find(({ fromMs, untilMs }) => scopes.length > 0 && fromMs <= atMs && atMs < untilMs);',
    ],
    'rolling',
  ),
  one('record_after_await', 'S6', [
    'src/remediation/runner.ts',
    "append([{ ...about, fact: { type: 'tool.started', permit: terms } }]);\n    const { result, unknown } = await work();",
    "const { result, unknown } = await work();\n    append([{ ...about, fact: { type: 'tool.started', permit: terms } }]);",
  ]),
  one('permit_reusable', 'S6', [
    'src/core/tool.ts',
    'const valid = !this.#used && nowMs < this.terms.expiresMs && ',
    'const valid = nowMs < this.terms.expiresMs && ',
  ]),
  {
    name: 'permit_never_expires',
    law: 'S6',
    edits: [
      [
        'src/core/tool.ts',
        'const valid = !this.#used && nowMs < this.terms.expiresMs && ',
        'const valid = !this.#used && nowMs > 0 && ',
      ],
      [
        'src/guard/redeem.ts',
        'const isOld = ageOf(world.state, input.nowMs, world.nowMs) >= input.limits.permitMs;',
        'const isOld = false;',
      ],
    ],
    scene: 'storm',
    seed: 1,
  },
  one(
    'unknown_forgotten',
    'S6',
    [
      'src/guard/state/lifecycle.ts',
      'targetFor(edit, terms).unknown = { permit: terms.id, tool: terms.call.tool, sinceMs: atMs };',
      '',
    ],
    'crashes',
  ),
  one(
    'unknown_not_declared',
    'S6',
    [
      'src/journal/recover.ts',
      'return [...unknowns, ...pages(open, moment), ...runs];',
      'return [...unknowns.slice(0, 0), ...pages(open, moment), ...runs];',
    ],
    'crashes',
  ),
  one(
    'second_run_on_one_channel',
    'S7',
    ['src/incident/lifecycle/transitions.ts', 'if (open.running) return widerPage(open, sight, nowMs, policy);', ''],
    'plain',
  ),
  {
    name: 'containment_not_asked',
    law: 'S8',
    edits: [
      [
        'src/guard/checks/policy.ts',
        'if (reasons.length === 0) return pass(value, threshold);',
        "if (value !== '') return pass(value, threshold);",
      ],
      NOT_ASKED_AGAIN,
    ],
    scene: 'storm',
    seed: 1,
  },
  {
    name: 'containment_asked_of_the_envelope',
    law: 'S8',
    edits: [
      [
        'src/guard/checks/policy.ts',
        'const reasons = containedBy(input);',
        'const reasons = moment.envelope?.containmentMode.active === true ? containedBy(input) : [];',
      ],
      NOT_ASKED_AGAIN,
    ],
    scene: 'pool',
    seed: 1,
  },
  one('containment_ends_early', 'S8', [
    'src/guard/containment.ts',
    'if (quietMs < limits.containmentQuietMs) return undefined;',
    'if (quietMs < limits.containmentQuietMs / 4) return undefined;',
  ]),
  one(
    'containment_forgotten_over_restart',
    'S8',
    ['src/guard/state/fold.ts', 'edit.set({ plans: {} });', 'edit.set({ plans: {}, containments: {} } as never);'],
    'crashes',
  ),
  one(
    'unknown_pool_read_as_fine',
    'S8',
    [
      'src/guard/containment.ts',
      'if (!pool.reportsPool) return undefined;',
      'if (poolPressure !== null) return undefined;',
    ],
    'pool',
  ),
  one(
    'person_not_needed_for_release',
    'S8',
    ['src/guard/containment.ts', 'return releaseByPerson ? undefined : because;', 'return because;'],
    'people',
  ),
  one(
    'freeze_forgotten_over_restart',
    'S9',
    ['src/control/state.ts', "case 'control.thawed':", "case 'reeve.started':\n    case 'control.thawed':"],
    'crashes',
  ),
  one('lease_ignored', 'S9', ['src/guard/checks/policy.ts', 'if (lease !== undefined) {', "if (lease?.who === '') {"]),
  one('maintenance_ignored', 'S9', [
    'src/guard/checks/policy.ts',
    "if (window === undefined) return pass('nobody said no', threshold);",
    "if (window?.id !== '') return pass('nobody said no', threshold);",
  ]),
  one('phase_off_by_one', 'S9', ['src/guard/checks/policy.ts', 'if (now >= needed)', 'if (now >= needed - 1)']),
  one(
    'approval_of_another_call',
    'S9',
    [
      'src/control/approvals.ts',
      'return kept.approval.hash === hash && nowMs < kept.expiresMs',
      "return hash !== '' && nowMs < kept.expiresMs",
    ],
    'people',
  ),
  one(
    'approval_serves_for_ever',
    'S9',
    ['src/guard/guard.ts', 'return approval !== undefined && isYes ?', "return approval === '' && isYes ?"],
    'people',
  ),
  one('evidence_age_ignored', 'S10', [
    'src/guard/checks/evidence.ts',
    'takenMs <= nowMs && ageOf(state, takenMs, nowMs) < limits.evidenceAgeMsMax;',
    'takenMs <= nowMs && ageOf(state, takenMs, nowMs) < limits.evidenceAgeMsMax * 99;',
  ]),
  one('log_alone_accepted', 'S10', [
    'src/guard/checks/evidence.ts',
    'if (witnesses.size >= 2) return pass(value, threshold);',
    'if (witnesses.size >= 1) return pass(value, threshold);',
  ]),
  one('wrong_remedy_accepted', 'S10', [
    'src/guard/checks/evidence.ts',
    'if (spec.cures.includes(found)) return undefined;',
    'if (spec.cures.length > 0) return undefined;',
  ]),
  one('evidence_of_another_channel', 'S10', [
    'src/guard/checks/evidence.ts',
    'if (!isAbout) {',
    "if (!isAbout && about === '') {",
  ]),
  one(
    'one_step_too_many',
    'S11',
    ['src/agent/machine.ts', 'if (state.step >= limits.steps)', 'if (state.step > limits.steps)'],
    'random',
  ),
  one(
    'no_pause_between_tools',
    'S11',
    ['src/agent/run.ts', 'if (mayGoOn && restMs > 0)', 'if (mayGoOn && restMs > 1e9)'],
    'random',
  ),
  one(
    'page_after_the_decision',
    'L1',
    [
      'src/incident/lifecycle/responder.ts',
      '{ ...aboutOf(current), run: runId, fact }, ...this.#consequences(current, runId, end)]);',
      '{ ...aboutOf(current), run: runId, fact }]);\n    this.#deps.append(this.#consequences(current, runId, end));',
    ],
    'plain',
  ),
  one(
    'wait_never_ends_in_a_page',
    'L6',
    [
      'src/incident/lifecycle/transitions.ts',
      'if (nowMs < Math.max(dueMs, announcedMs(open))) return undefined;',
      'if (nowMs >= 0) return undefined;',
    ],
    'plain',
  ),
  one(
    'late_ones_are_not_listed',
    'L6',
    [
      'src/incident/lifecycle/transitions.ts',
      'if (nowMs < dueMs) return none(dueMs);',
      'if (nowMs >= 0) return none();',
    ],
    'plain',
    156,
  ),
  one(
    'a_containment_speaks_for_all_of_its_scope',
    'L6',
    [
      'src/incident/pipeline/named.ts',
      'listed !== undefined && channels.every((id) => setOf(listed).has(id));',
      'listed !== undefined && channels.length >= 0;',
    ],
    'plain',
    2,
  ),
  one(
    'who_goes_down_is_not_listed_while_a_start_waits',
    'L6',
    [
      'src/incident/lifecycle/responder.ts',
      'if (startDelayMs !== undefined && !pageDue)',
      'if (startDelayMs !== undefined && (!pageDue || (open?.told.length ?? 0) > 0))',
    ],
    'plain',
    2,
  ),
  one(
    'page_of_an_unknown_end_takes_the_list_away',
    'L6',
    [
      'src/incident/runs/runs.ts',
      'when: `did not come to a known end: ${because}`, channels });',
      'when: `did not come to a known end: ${because}` });\n    void channels;',
    ],
    'plain',
    89,
  ),
  one('page_suppressed', 'L1', [
    'src/incident/lifecycle/responder.ts',
    "if (outcome.kind === 'escalated' && outcome.reason !== 'containment') {",
    "if (outcome.kind === 'escalated' && outcome.reason !== 'containment' && outcome.reason !== 'guard_refused') {",
  ]),
  one(
    'resolve_instead_of_trigger',
    'L1',
    [
      'src/escalate/due.ts',
      'if (page.resolved !== undefined && isDelivered(page)) return',
      'if (page.resolved !== undefined) return',
    ],
    'plain',
  ),
  one(
    'delivery_gives_up',
    'L1',
    [
      'src/escalate/receiver_queue.ts',
      'this.#pause(thrown);\n    const alone',
      'this.#unrecorded.add(notice.id);\n    const alone',
    ],
    'plain',
  ),
  one(
    'questions_never_expire',
    'L2',
    [
      'src/control/approvals.ts',
      "(one) => (one.state === 'pending' || one.state === 'yes') && nowMs >= one.expiresMs,",
      "(one) => one.state === 'yes' && nowMs >= one.expiresMs,",
    ],
    'people',
  ),
  one(
    'plan_without_quiet_time',
    'S8',
    ['src/ground/correlate/proof.ts', 'export const PROOF_MS = 10_000;', 'export const PROOF_MS = 1_000;'],
    'staged',
  ),
  one(
    'plan_against_its_witness',
    'S8',
    ['src/ground/correlate/proof.ts', 'if (missing !== undefined) return', "if (missing === '') return"],
    'sources',
  ),
  one(
    'plan_while_they_die',
    'S8',
    [
      'src/ground/correlate/proof.ts',
      'Math.max(cause.sinceMs, ...known.map(diedMs))',
      'Math.max(cause.sinceMs, ...known.map((one) => Math.min(cause.sinceMs, diedMs(one))))',
    ],
    'staged',
  ),
  one(
    'canary_too_soon',
    'S8',
    [
      'src/ground/correlate/proof.ts',
      'isWitnessed ? PROOF_MS : canaryWaitMs(input.lostCanaries ?? 0)',
      'isWitnessed ? PROOF_MS : PROOF_MS',
    ],
    'staged',
  ),
  {
    name: 'proof_serves_single_restarts',
    law: 'S8',
    edits: [
      ['src/guard/checks/policy.ts', '(parent !== undefined || isStaged(call)) && live.causeProof', 'live.causeProof'],
      ['src/guard/checks/policy.ts', '  if (open !== undefined) {', "  if (open?.[0] === '') {"],
      [
        'src/guard/checks/policy.ts',
        'if (envelope?.sharedCause !== true && !held)',
        'if (envelope?.sharedCause !== true || held)',
      ],
    ],
    scene: 'storm',
    seed: 1,
  },
  one(
    'proof_in_the_place_of_a_person',
    'S8',
    [
      'src/guard/checks/policy.ts',
      "reason === 'shared_cause' && !releaseByPerson && isProvenOver(input)",
      "reason === 'shared_cause' && isProvenOver(input)",
    ],
    'asked_group',
  ),
  {
    name: 'ramp_too_steep',
    law: 'S4',
    edits: [
      ['src/guard/checks/counters.ts', 'underWay.length < 1 + verified', 'underWay.length < 2 + verified'],
      [
        'src/agent/staged.ts',
        'this.#flying.size >= 1 + this.#verified.length',
        'this.#flying.size >= 2 + this.#verified.length',
      ],
    ],
    scene: 'staged',
    seed: 1,
  },
  one(
    'plan_follows_an_unproven_one',
    'S4',
    [
      'src/guard/state/spacing.ts',
      'return own.length > 0 && own.every(({ proven }) => proven === true);',
      'return own.length >= 0;',
    ],
    'staged',
    9,
  ),
  {
    name: 'plan_outlives_its_canary',
    law: 'S4',
    edits: [
      [
        'src/guard/state/lifecycle.ts',
        'return lost.length >= STAGED_FAILURES_MAX || (lost.length > 0 && lost[0] === starts[0]);',
        'return lost.length > 99 + starts.length;',
      ],
      [
        'src/agent/staged.ts',
        'if (isCanary || this.#failed.length >= FAILURES_MAX)',
        'if (isCanary && this.#failed.length >= 99)',
      ],
    ],
    scene: 'staged',
    seed: 1,
  },
  one(
    'staged_start_ignores_spacing',
    'S4',
    [
      'src/guard/checks/counters.ts',
      'const spacingMs = parent === undefined ? 0 : limits.highRiskSpacingMs;',
      'const spacingMs = parent === undefined ? 0 : limits.highRiskSpacingMs / 4;',
    ],
    'staged',
  ),
  one(
    'plan_takes_the_last_place',
    'S2',
    [
      'src/guard/checks/counters.ts',
      'const max = isOfPlan ? Math.max(1, all - 1) : all;',
      'const max = isOfPlan ? all + 1 : all;',
    ],
    'staged',
  ),
  one(
    'unverified_leaves_the_window',
    'S2',
    [
      'src/guard/state/window.ts',
      '.filter((mark) => mark.proven !== true)',
      '.filter((mark) => mark.plan === undefined)',
    ],
    'staged',
  ),
  one(
    'staged_pace_off',
    'S2',
    [
      'src/guard/checks/counters.ts',
      'if (count < max) return pass(value, threshold);',
      "if (count < max || value !== '') return pass(value, threshold);",
    ],
    'staged',
  ),
  one(
    'alert_of_old_labels_left_open',
    'L1',
    [
      'src/escalate/receivers/alertmanager/receiver.ts',
      'notice.previous.map((labels)',
      'notice.previous.slice(9).map((labels)',
    ],
    'adapters',
    23,
  ),
  one(
    'resolve_under_another_key',
    'L1',
    [
      'src/escalate/receivers/pagerduty/receiver.ts',
      "return { ...about, event_action: 'resolve' };",
      "return { ...about, dedup_key: notice.id, event_action: 'resolve' };",
    ],
    'adapters',
    3,
  ),
  one(
    'refresh_waits_for_all_news',
    'L1',
    ['src/escalate/receiver_queue.ts', 'if (isFirst) return', 'if (isFirst && this.#jobs().length === 0) return'],
    'adapters',
    12,
  ),
  one(
    'outage_is_waited_out_once_more',
    'L1',
    [
      'src/escalate/receiver_queue.ts',
      'baseMs: 500, factor: 2, maxMs: 5_000,',
      'baseMs: 500, factor: 2, maxMs: 3_600_000,',
    ],
    'adapters',
    3,
  ),
  one(
    'message_longer_than_a_header',
    'L1',
    ['src/escalate/receivers/slack/receiver.ts', 'HEADER_CHARACTERS_MAX = 150', 'HEADER_CHARACTERS_MAX = 200'],
    'adapters',
  ),
  one(
    'refusal_taken_for_an_answer',
    'L1',
    ['src/escalate/receiver.ts', 'if (status >= 200 && status < 300) {', 'if (status >= 200 && status < 500) {'],
    'adapters',
    5,
  ),
  one(
    'heartbeat_while_nobody_can_be_called',
    'L1',
    ['src/escalate/heartbeat.ts', '=> failingForMs > FAILING_MS_MAX;', '=> failingForMs === Infinity;'],
    'deaf',
  ),
  one(
    'heartbeat_waits_for_every_receiver',
    'L1',
    ['src/escalate/heartbeat.ts', 'isAnyOwed && receivers.every(fails)', 'isAnyOwed && receivers.some(fails)'],
    'deaf',
  ),
  one(
    'calm_for_ten_minutes',
    'L2',
    ['src/collect/probes/calm.ts', 'Math.min(rest.calmEveryMs, STALL_FOUND_MS - stallMs)', '600_000'],
    'probes',
    3,
  ),
  {
    name: 'proof_of_its_own_cause_alone',
    law: 'S8',
    edits: [
      ['src/incident/pipeline/finding_tracker.ts', '[cause, ...this.#alsoAround(scope, cause)]', '[cause]'],
      SINCE_ITS_NAME,
    ],
    scene: 'shared',
    seed: 2,
  },
  one('cause_begins_with_its_name', 'S8', SINCE_ITS_NAME, 'varied', 196),
  one(
    'restart_into_a_refusal',
    'S8',
    ['src/incident/runs/runs.ts', 'isRefused ? `its source still answers ${status}` : undefined', 'undefined'],
    'varied',
    287,
  ),
  one(
    'wait_begins_with_each_name',
    'L6',
    ['src/incident/lifecycle/transitions.ts', 'sinceMs > troubledMs ? policy.patienceMs + OVERDUE_MS :', ''],
    'varied',
    109,
  ),
  one(
    'open_pages_sleep_too',
    'L1',
    ['src/escalate/refresh_schedule.ts', ' - (this.#everyMs ?? 0)', ' + 60_000'],
    'varied',
    709,
  ),
  one(
    'next_wait_comes_before_the_page',
    'L6',
    ['src/incident/lifecycle/transitions.ts', ' && (sight.inCrowd === true || !isWaitOver(open, nowMs))', ''],
    'varied',
    951,
  ),
  one(
    'refusal_is_work',
    'L6',
    ['src/incident/lifecycle/state.ts', 'isRefused || tookMs < WORK_MS_MIN', 'tookMs < WORK_MS_MIN'],
    'varied',
    1589,
  ),
  one(
    'older_life_proves_a_start',
    'L6',
    ['src/guard/state/fold.ts', ' && fact.mayPrecede !== true', ''],
    'varied',
    1_316,
  ),
  one('permit_outlives_containment', 'S8', NOT_ASKED_AGAIN),
  one('fence_stands_still', 'S16', [
    'src/guard/guard.ts',
    'fence: 1 + (isOfEngine(input) ? highestFence(input.state, engine) : target.fence),',
    'fence: 1,',
  ]),
];

/** Where each is known to die soonest: what a short run tries. */
const DIES_IN: Readonly<Record<string, readonly [SceneName, number]>> = {
  window_off_by_one: ['explore', 1],
  window_halved: ['explore', 1],
  foreign_starts_uncounted: ['explore', 1],
  window_forgotten_over_restart: ['explore', 1],
  cooldown_from_start: ['explore', 1],
  cooldown_reset_on_restart: ['explore', 1],
  spacing_on_channel_off: ['explore', 1],
  breaker_never_opens: ['explore', 1],
  unknown_forgotten: ['explore', 1],
  group_spacing_off: ['explore', 2],
  group_spacing_off_by_one: ['explore', 2],
  daily_cap_off_by_one: ['explore', 2],
  daily_cap_refilled_by_new_incident: ['explore', 2],
  incident_cap_off_by_one: ['explore', 3],
  half_open_admits_two: ['property', 1],
  probe_lost_over_restart: ['property', 1],
  breaker_without_generation: ['property', 1],
  breaker_reopens_no_longer: ['property', 1],
  storm_without_containment: ['tight', 1],
  two_high_risk_in_one_run: ['property', 1],
  lease_ignored: ['property', 1],
  phase_off_by_one: ['property', 1],
  maintenance_ignored: ['storm', 2],
  one_step_too_many: ['looks', 1],
  no_pause_between_tools: ['looks', 1],
  delivery_gives_up: ['deaf', 1],
  resolve_instead_of_trigger: ['deaf', 1],
  unknown_not_declared: ['limbo', 1],
  questions_never_expire: ['asked', 1],
  approval_of_another_call: ['people', 3],
  containment_ends_early: ['property', 1],
  plan_against_its_witness: ['sources', 7],
  last_cure_hides_those_before: ['witness', 27],
  canary_too_soon: ['canary', 12],
  plan_outlives_its_canary: ['canary', 2],
  permit_outlives_containment: ['property', 1],
  staged_start_ignores_spacing: ['staged', 4],
};

export const MUTANTS: readonly Mutant[] = KNOWN_BAD.map((mutant) => {
  const [scene, seed] = DIES_IN[mutant.name] ?? [mutant.scene, mutant.seed];
  return { ...mutant, scene, seed };
});
