import { describe, expect, it } from 'vitest';
import type { GroundedContextEnvelope } from '../../../src/core/envelope.ts';
import type { JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import type { Rule } from '../../../src/core/rule.ts';
import { TOOL_SPECS } from '../../../src/remediation/catalog.ts';
import { type IncidentStory, knowledgePorts, storyOf } from '../../../src/rulebook/explore/incident.ts';
import { anEnvelope } from '../../support/a.ts';
import { aRule } from '../support.ts';
import { START_CRASHED } from './start_crashed.ts';

const evidence = (text: string) => ({ id: 'e1', at: 0, origin: 'log', source: 'news.err', text }) as const;
const taken = (with_: Partial<GroundedContextEnvelope> = {}): JournalFact => ({
  type: 'envelope.taken',
  envelope: anEnvelope(with_),
});
const story = (...facts: readonly JournalFact[]) => {
  const entries = facts.map((fact) => ({ fact }) as JournalEntry);
  return storyOf('inc-1', entries, (line) => line.replaceAll(/\d+/g, '<num>'));
};

describe('the story of an incident', () => {
  it('is its first envelope with the shapes of all its lines, each once, and what was done', () => {
    const first = taken({ evidence: [evidence('exit 139'), evidence('exit 9')] });
    const closed: JournalFact = { type: 'incident.closed', ending: 'by_person', because: 'x', openMs: 1 };
    const told = story(
      first,
      taken({ failureClassification: 'output_stalled', evidence: [evidence('still')] }),
      closed,
    );
    expect(told).toMatchObject({ kind: 'process_crashed', incident: 'inc-1', lines: ['exit <num>', 'still'] });
    expect(told?.shown).toContain('classification: process_crashed\nprocess: process_crash\nprobe: stalled_output');
    expect(told?.shown).toContain('it ended: by_person\nlines:\nexit <num>\nstill');
    expect(told?.text).not.toContain('it ended');
  });

  it('is none where nothing was classified', () => {
    expect(story()).toBeUndefined();
    expect(story(taken({ failureClassification: undefined }))).toBeUndefined();
    expect(story(taken({ failureClassification: 'unknown' }))).toBeUndefined();
  });

  it('shows at most 8,000 characters, and keeps 40 lines', () => {
    const lines = Array.from({ length: 41 }, (_, at) => evidence(`${String.fromCharCode(65 + at)}${'x'.repeat(300)}`));
    const told = story(taken({ evidence: lines }));
    expect([told?.shown.length, told?.lines.length]).toEqual([8_000, 40]);
  });
});

/** The ports of an exploration of a crash. */
function ports(known: { rules?: readonly Rule[]; history?: readonly GroundedContextEnvelope[] } = {}) {
  const { rules = [], history = [] } = known;
  const drop = { name: 'drop_then_start', description: 'Drop it.', origin: 'a.yaml:1' };
  const composites = [{ ...drop, calls: ['invalidate_cache', 'restart_channel'] as const }];
  const knowledge = { rules: () => rules, tools: [...TOOL_SPECS.values()], composites: () => composites };
  const situation = story(taken({ evidence: [evidence('exit 139')] })) as IncidentStory;
  const all = knowledgePorts({ ...knowledge, history: () => history });
  return { ...all, situation, checked: (text: unknown) => all.check(text, situation) };
}

describe('a proposed rule', () => {
  it('that fits this incident and nothing else is taken, with the text of its file', () => {
    expect(ports().checked(START_CRASHED)).toMatchObject({ rule: { id: 'start_crashed' }, text: START_CRASHED });
  });

  it.each([
    ['does not parse', START_CRASHED.replace('call: restart_channel', 'call: reboot'), /reboot/],
    ['calls what does not cure it', START_CRASHED.replace('restart_channel', 'invalidate_cache'), /invalidate_cache/],
    ['is above those of operators', `${START_CRASHED}priority: 101\n`, /at most 100 for a proposed rule/],
    [
      'does not hold here',
      START_CRASHED.replace('equals: false', 'equals: true'),
      /its tests do not hold in this incident/,
    ],
  ])('that %s is refused with the reason', (_, text, why) => {
    expect([ports().checked(text)].flat().join()).toMatch(why);
  });

  it('may have the priority of operators', () => {
    expect(ports().checked(`${START_CRASHED}priority: 100\n`)).toMatchObject({ rule: { priority: 100 } });
  });

  it('that is there already, or contradicts one that is, is refused', () => {
    expect(ports({ rules: [aRule({ id: 'start_crashed' })] }).checked(START_CRASHED)).toEqual([
      'there is a rule start_crashed already',
    ]);
    const { rule } = ports().checked(START_CRASHED) as { rule: Rule };
    // biome-ignore lint/suspicious/noThenProperty: a key of rule files
    const rival = { ...rule, id: 'waits', then: [{ kind: 'escalate' }] } as unknown as Rule;
    expect(ports({ rules: [rival] }).checked(START_CRASHED)).toEqual([
      'waits has the same tests and does something else',
    ]);
    expect(ports({ rules: [{ ...rule, id: 'twin' }] }).checked(START_CRASHED)).toMatchObject({
      rule: { id: 'start_crashed' },
    });
  });

  it('that fits a recorded trouble which went by itself is refused', () => {
    const [because] = ports({ history: [anEnvelope()] }).checked(START_CRASHED) as readonly string[];
    expect(because).toMatch(/^it fits 1 recorded troubles that went by themselves/);
    const other = anEnvelope({ failureClassification: 'output_stalled' });
    expect(ports({ history: [other] }).checked(START_CRASHED)).toMatchObject({ rule: { id: 'start_crashed' } });
  });
});

describe('what an exploration can look up', () => {
  it('is the rules, the tools with the sequences beside them, and the lines of the incident', () => {
    const { listRules, searchRules, listActions, searchActions, logLines, situation } = ports({
      rules: [aRule({ description: 'start the encoder that died' })],
    });
    expect(listRules(situation)).toEqual(['r']);
    expect(searchRules('the encoder died', situation)).toEqual([
      { id: 'r', classification: 'process_crashed', description: 'start the encoder that died' },
    ]);
    expect((listActions() as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      ...TOOL_SPECS.keys(),
      'drop_then_start',
    ]);
    expect((searchActions('drop then start') as readonly { name: string }[]).map(({ name }) => name)).toContain(
      'drop_then_start',
    );
    expect([logLines(situation, 'exit'), logLines(situation, 'segment')]).toEqual([['exit <num>'], []]);
  });
});
