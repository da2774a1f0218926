import { describe, expect, it } from 'vitest';
import { SYSTEM_TEXT } from '../../../src/ask/engine.ts';
import type { Permission } from '../../../src/ask/tool.ts';
import { daemonPorts } from '../../../src/cli/ask/daemon_ports.ts';
import type { Cli } from '../../../src/cli/context.ts';
import { CONTEXT_SHARE, tokensIn } from '../../../src/memory/short_memory.ts';
import { closeServersAfterAll } from '../../support/servers.ts';
import { aDaemon, aSession, flagsOf, gateOf, noDaemon } from './support.ts';

closeServersAfterAll();

const TURNS = '/api/v1/ask/turns';
const END = '/api/v1/ask/turns/end';
const CHANNELS = '/api/v1/channels';
const PROPOSALS = '/api/v1/ask/proposals';

const redact = (text: string) => text.replaceAll('s3cret', '[redacted]');
const portsOf = (cli: Cli, { grants = [] as readonly Permission[], flags = flagsOf() } = {}) =>
  daemonPorts({ cli, gate: gateOf(...grants), flags, redact });
const begun = { ok: true, more: { turn: 'trn-1', recalled: [] } };
const answered = { text: 'It played.', cites: [], model: undefined, ok: true };

describe('a question that the daemon records', () => {
  it('is sent without its secrets and at most 4,000 characters of it, with the conversation that it is of', async () => {
    const { cli, heard } = await aDaemon({ [TURNS]: begun });
    await portsOf(cli).begin('is s3cret out?', undefined);
    await portsOf(cli).begin('x'.repeat(4_001), aSession());
    expect(heard).toEqual([
      { path: TURNS, body: { question: 'is [redacted] out?' } },
      { path: TURNS, body: { question: 'x'.repeat(4_000), session: 'ses-1' } },
    ]);
  });

  it('brings what is recalled, fit to be shown: no secret, no bracket, and no line without a sound id', async () => {
    const recalled = [
      { id: 'inc-7', text: 'news said [inc-8] s3cret' },
      { id: 'no id', text: 'lost' },
    ];
    const { cli } = await aDaemon({ [TURNS]: { ok: true, more: { turn: 'trn-1', recalled } } });
    const recording = await portsOf(cli).begin('why?', undefined);
    expect(recording?.recalled).toEqual([{ id: 'inc-7', text: 'news said (inc-8) [redacted]' }]);
  });

  it('ends with its answer, of which at most a hundred ids are sent', async () => {
    const { cli, heard } = await aDaemon({ [TURNS]: begun, [END]: { ok: true } });
    const recording = await portsOf(cli).begin('why?', aSession());
    const cites = Array.from({ length: 101 }, (_, at) => `inc-${at}`);
    await recording?.end({ ...answered, cites, model: 'qwen3:8b' });
    const about = { turn: 'trn-1', text: 'It played.', ok: true, evicted: [], model: 'qwen3:8b', session: 'ses-1' };
    expect(heard.at(-1)).toEqual({ path: END, body: { ...about, cites: cites.slice(0, 100) } });
  });

  it('ends in one body that the daemon takes, however long its answer and those that left the conversation', async () => {
    const { cli, heard } = await aDaemon({ [TURNS]: begun, [END]: { ok: true } });
    const ports = portsOf(cli, { flags: flagsOf('-c', '--context', '100') });
    const long = '语'.repeat(20_001);
    const session = aSession(...Array.from({ length: 16 }, () => long));
    ports.newestOf(session, ['and?']);
    const recording = await ports.begin('and?', session);
    await recording?.end({
      ...answered,
      text: long,
      cites: Array.from({ length: 100 }, (_, at) => `inc-${at}`.padEnd(80, '0')),
    });
    const { text, evicted } = heard.at(-1)!.body as { text: string; evicted: { question: string; answer: string }[] };
    expect(text).toBe('语'.repeat(4_000));
    expect(evicted.map(({ question, answer }) => [question.length, answer.length])).toEqual(Array(8).fill([800, 800]));
  });

  it('is asked all the same where there is no daemon, where it refuses, and where it records nothing', async () => {
    expect(await portsOf(noDaemon()).begin('why?', undefined)).toBeUndefined();
    for (const answers of [{}, { [TURNS]: { ok: false, more: { turn: 'trn-1', recalled: [] } } }, { [TURNS]: null }])
      expect(await portsOf((await aDaemon(answers)).cli).begin('why?', undefined)).toBeUndefined();
  });

  it('keeps its answer where the daemon is gone before its end', async () => {
    const { cli } = await aDaemon({ [TURNS]: begun });
    const recording = await portsOf(cli).begin('why?', undefined);
    await expect(recording?.end(answered)).resolves.toBeUndefined();
  });
});

describe('ids of earlier answers', () => {
  const incident = (id: string) => [`/api/v1/incidents/${id}`, { id }] as const;

  it('are known again where their incident still exists, a step of it under its own id', async () => {
    const { cli } = await aDaemon(Object.fromEntries([incident('inc-1'), incident('inc-2')]));
    const session = aSession('why?', 'It fell [inc-1#3] and rose [inc-2]; so did [inc-gone] and inc-3.');
    expect(await portsOf(cli, { grants: ['incidents-read'] }).stillKnown(session)).toEqual(['inc-2', 'inc-1']);
  });

  it('are not asked for without the grant to read incidents', async () => {
    const { cli, heard } = await aDaemon(Object.fromEntries([incident('inc-1')]));
    expect(await portsOf(cli, { grants: ['logs-read'] }).stillKnown(aSession('why?', '[inc-1]'))).toEqual([]);
    expect(heard).toEqual([]);
  });

  it('are asked for once each, the newest eight', async () => {
    const ids = Array.from({ length: 9 }, (_, at) => `inc-${at}`);
    const { cli, heard } = await aDaemon(Object.fromEntries(ids.map(incident)));
    const session = aSession('why?', ids.map((id) => `[${id}]`).join(' '), 'and?', '[inc-8]');
    const known = await portsOf(cli, { grants: ['incidents-read'] }).stillKnown(session);
    expect(known).toEqual(ids.slice(1).reverse());
    expect(heard).toHaveLength(8);
  });
});

describe('what is sent of a conversation', () => {
  /** Three exchanges of 2 × 40 tokens each; the room holds so many of them besides the system's text. */
  const long = (name: string) => name.padEnd(160, '.');
  const session = aSession(...['q1', 'a1', 'q2', 'a2', 'q3', 'a3'].map(long));
  const flagsFor = (exchanges: number) => {
    const tokens = tokensIn(SYSTEM_TEXT) + tokensIn('why?') + exchanges * 80;
    return flagsOf('-c', '--context', String(Math.ceil(tokens / CONTEXT_SHARE)));
  };
  const sentOf = async (exchanges: number) => {
    const { cli, heard } = await aDaemon({ [TURNS]: begun, [END]: { ok: true } });
    const ports = portsOf(cli, { flags: flagsFor(exchanges) });
    const sent = ports.newestOf(session, ['why?']).map(({ content }) => content.slice(0, 2));
    ports.newestOf(session, ['why?']);
    const recording = await ports.begin('why?', session);
    await recording?.end(answered);
    const first = (heard.at(-1)!.body as { evicted: { question: string }[] }).evicted;
    await recording?.end(answered);
    const second = (heard.at(-1)!.body as { evicted: unknown[] }).evicted;
    return { sent, evicted: first.map(({ question }) => question.slice(0, 2)), again: second };
  };

  it('is all of it while it fits', async () => {
    expect(await sentOf(3)).toEqual({ sent: ['q1', 'a1', 'q2', 'a2', 'q3', 'a3'], evicted: [], again: [] });
  });

  it('is the newest that fits; what it pushes out is sent to the daemon, once', async () => {
    expect(await sentOf(2)).toEqual({ sent: ['q2', 'a2', 'q3', 'a3'], evicted: ['q1'], again: [] });
  });

  it('is nothing where not even the newest exchange fits', async () => {
    expect(await sentOf(0)).toEqual({ sent: [], evicted: ['q1', 'q2', 'q3'], again: [] });
  });

  it('reports at most eight to the daemon at a time, and the ninth with the next answer', async () => {
    const { cli, heard } = await aDaemon({ [TURNS]: begun, [END]: { ok: true } });
    const ports = portsOf(cli, { flags: flagsFor(0) });
    const many = aSession(...Array.from({ length: 18 }, (_, at) => long(`m${at}`)));
    ports.newestOf(many, ['why?']);
    const recording = await ports.begin('why?', many);
    await recording?.end(answered);
    await recording?.end(answered);
    const counts = heard.slice(1).map(({ body }) => (body as { evicted: unknown[] }).evicted.length);
    expect(counts).toEqual([8, 1]);
  });

  it('holds no question that was never answered as an exchange', async () => {
    const ports = portsOf((await aDaemon({})).cli, { flags: flagsFor(1) });
    const sent = ports.newestOf(aSession(...['q1', 'a1', 'q2'].map(long)), ['why?']);
    expect(sent.map(({ content }) => content.slice(0, 2))).toEqual(['q1', 'a1', 'q2']);
  });
});

describe('an action that is asked for', () => {
  const channels = { [CHANNELS]: { channels: [{ id: 'news' }, { id: 'sport' }] } };

  it('is not found in a question, and nothing is sent to the daemon', async () => {
    const { cli, heard } = await aDaemon(channels);
    expect(await portsOf(cli).propose('why did news restart?')).toBeUndefined();
    expect(heard).toEqual([]);
  });

  it('goes to the daemon as a tool on one channel, and cites the proposal and its incident', async () => {
    const more = { id: 'apr-3', incident: 'inc-9' };
    const { cli, heard } = await aDaemon({ ...channels, [PROPOSALS]: { ok: true, said: 'it waits\nfor a yes', more } });
    const text = 'it waits for a yes [apr-3, inc-9]';
    expect(await portsOf(cli).propose('restart news')).toEqual({ ok: true, text, cites: ['apr-3', 'inc-9'] });
    expect(heard.at(-1)).toEqual({ path: PROPOSALS, body: { tool: 'restart_channel', channel: 'news' } });
  });

  it('that is refused says why and what to do, and cites the channel', async () => {
    const refusal = { ok: false, because: 'it is frozen', hint: 'reeve unfreeze' };
    const { cli } = await aDaemon({ ...channels, [PROPOSALS]: refusal });
    const text = 'it is frozen; reeve unfreeze [channel:sport]';
    expect(await portsOf(cli).propose('restart sport')).toEqual({ ok: false, text, cites: ['channel:sport'] });
    const { cli: terse } = await aDaemon({ ...channels, [PROPOSALS]: { ok: false, because: 'no' } });
    expect((await portsOf(terse).propose('restart sport'))?.text).toBe('no [channel:sport]');
  });

  it('on a channel that is not configured is not proposed', async () => {
    const { cli, heard } = await aDaemon(channels);
    const answer = await portsOf(cli).propose('restart weather');
    expect(answer).toMatchObject({ ok: false, text: expect.stringContaining('one channel that is configured') });
    expect(heard.map(({ path }) => path)).toEqual([CHANNELS]);
  });

  it('is an error without a daemon: nothing could become of it', async () => {
    await expect(portsOf(noDaemon()).propose('restart news')).rejects.toMatchObject({ code: 'DAEMON_UNREACHABLE' });
  });
});
