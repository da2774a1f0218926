import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { addText } from '../../../src/cli/commands/text.ts';
import { aCatalogue } from '../../detect/catalogue_source.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

const deps = {
  catalogue: () => aCatalogue([{ id: 'refused', regex: 'Connection refused' }]),
  clean: (text: string) => text.replace('hunter42', '[redacted]'),
  channelIn: (text: string) => (text.includes('news') ? 'news' : undefined),
};
const run = (argv: readonly string[], options?: RunOptions) =>
  ran((program, cli) => addText(program, cli, deps), argv, options);
const EXCERPT = '{"id":"a","lines":["Connection refused"]}\n';

describe('an excerpt that is none', () => {
  it('is named with its file and line, for one among thousands has to be found', async () => {
    const file = join(temporaryDirectory(), 'excerpts.jsonl');
    writeFileSync(file, `${EXCERPT}\n{"id":1}\n`);
    await expect(run(['classify', '--excerpt', file])).rejects.toThrow(
      `${file}:3: an excerpt was expected, got {"id":1}`,
    );
    const stdin = [EXCERPT, 'no JSON\n'];
    await expect(run(['prompt', '--excerpt'], { stdin })).rejects.toThrow(
      'stdin:2: an excerpt was expected, got no JSON',
    );
  });
});

describe('lines that are classified', () => {
  it('have one result each, cleaned, with the channel that they name', async () => {
    const stdin = ['news: Connection refused hunter42\n', '\nall is ', 'well\n'];
    const { out } = await run(['classify'], { stdin, json: true });
    const [first, second, ...none] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ channel: 'news', symptom: 'upstream_unreachable', pattern: 'refused' });
    expect(first.line).toBe('news: Connection refused [redacted]');
    expect(second).toMatchObject({ channel: null, pattern: null, line: 'all is well' });
    expect(none).toEqual([]);
  });

  it('are read whole where a character comes in two pieces', async () => {
    const bytes = Buffer.from('Connection refused by häuser\n');
    const cut = bytes.indexOf(0xc3) + 1;
    const { out } = await run(['classify'], { stdin: [bytes.subarray(0, cut), bytes.subarray(cut)], json: true });
    expect(JSON.parse(out)).toMatchObject({ line: 'Connection refused by häuser' });
  });

  it('may stand in a file; one that cannot be read is an error with what to do', async () => {
    const file = join(temporaryDirectory(), 'log');
    writeFileSync(file, 'Connection refused\n');
    expect((await run(['classify', file])).out).toContain('upstream_unreachable');
    await expect(run(['classify', '/nowhere/at/all'])).rejects.toThrow(/^\/nowhere\/at\/all cannot be read: ENOENT/);
  });

  it('are not looked for in what is compressed: the error says how to unpack it', async () => {
    const packed = gzipSync('Connection refused\n');
    const file = join(temporaryDirectory(), 'log.gz');
    writeFileSync(file, packed);
    await expect(run(['classify', file])).rejects.toThrow(/^lines were expected, and .*log\.gz is compressed$/);
    await expect(run(['classify'], { stdin: [packed] })).rejects.toThrow('and stdin is compressed');
  });

  it('that belong together have one answer for the whole', async () => {
    const { out } = await run(['classify', '--excerpt'], { stdin: [EXCERPT], json: true });
    expect(JSON.parse(out)).toMatchObject({ id: 'a', symptom: 'upstream_unreachable', pattern: 'refused' });
  });

  it.each(['text', '{}', '[]', 'null', '{"id":1,"lines":[]}', '{"id":"a","lines":[1]}'])(
    'are no excerpt where %j stands',
    async (line) => {
      await expect(run(['classify', '--excerpt'], { stdin: [`${line}\n`] })).rejects.toThrow(
        /^stdin:1: an excerpt was expected/,
      );
    },
  );
});

describe('a prompt', () => {
  it('is about a channel or an excerpt, and not about both or neither', async () => {
    for (const argv of [['prompt'], ['prompt', 'news', '--excerpt']])
      await expect(run(argv)).rejects.toThrow('expected a channel, or --excerpt');
  });

  it('of an excerpt offers what looks and what cures, and no other change', async () => {
    const { out } = await run(['prompt', '--excerpt'], { stdin: [EXCERPT], json: true });
    const { choices } = JSON.parse(out) as { choices: { tool: string }[] };
    const tools = choices.map(({ tool }) => tool);
    expect(tools).toEqual(expect.arrayContaining(['fetch_recent_logs', 'get_channel_health', 'escalate']));
    expect(tools).not.toContain('rebuild_playout');
  });

  it('of a channel is that of the daemon, or why nothing would be sent', async () => {
    const answerOf = (answer: object) => run(['prompt', 'news'], { answers: { '/api/v1/prompt/news': answer } });
    expect((await answerOf({ prompt: 'Choose.', choices: [] })).out).toBe('Choose.\n');
    const choices = [{ index: 0, tool: 'escalate', target: '-' }];
    expect((await answerOf({ prompt: null, because: 'no incident is open', choices })).out).toBe(
      'nothing would be sent: no incident is open\nchoices now:\n0: escalate -\n',
    );
  });
});
