// Writes the transcript of a short night shift into docs/ask.md: the real command line against a real daemon.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ollamaServer } from '../test/support/ollama_server.ts';
import { Rig, until } from '../test/support/rig.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/ask.md');
const [BEGIN, END] = ['<!-- transcript: scripts/ask_transcript.ts -->', '<!-- end of transcript -->'];
const RULE = `id: tell_a_person
description: A person decides about every end of a process.
classification: process_crashed
priority: 100
then:
  - escalate: true
`;

/** A command line as a person types it, with what came back on both streams. */
async function shown(rig: Rig, args: readonly string[], stdin = ''): Promise<string> {
  const line = [join(ROOT, 'src/main.ts'), ...args, '--config', rig.configPath, '--state', rig.state];
  const env = { ...process.env, REEVE_SESSIONS: rig.at('sessions') };
  const child = spawn(process.execPath, line, { stdio: ['pipe', 'pipe', 'pipe'], env });
  const output: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => output.push(piece));
  child.stderr.on('data', (piece: Buffer) => output.push(piece));
  child.stdin.end(stdin);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  const typed = args.map((arg) => (/^[\w./:=-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ');
  const given = stdin === '' ? '' : stdin.replaceAll(/^(?=.)/gm, '> ');
  const ended = code === 0 ? '' : `(exit ${code})\n`;
  return `$ reeve ${typed}\n${given}${Buffer.concat(output).toString('utf8')}${ended}`;
}

async function nightShift(): Promise<readonly string[]> {
  const server = await ollamaServer({ models: ['qwen3:8b'] });
  await using rig = await Rig.open({
    channels: ['news', 'sport'],
    config: `rules: rules
memory: { enabled: true }
models: { servers: [{ id: local, kind: ollama, url: "${server.url}" }], primary: "local/qwen3:8b" }
`,
  });
  mkdirSync(rig.at('rules'));
  writeFileSync(rig.at('rules/tell.rule.yaml'), RULE);
  const daemon = await rig.run();
  interface Status {
    readonly channels: readonly { healthy: boolean | null }[];
    readonly incidents: readonly { id: string; state: string }[];
  }
  const status = () => daemon.get<Status>('/api/v1/status');
  await until('all play', async () => (await status()).channels.every(({ healthy }) => healthy === true));
  rig.die('news');
  await until('a person was notified', async () => (await status()).incidents[0]?.state === 'escalated');
  const { id } = (await status()).incidents[0]!;
  const none = ['--backend', 'none'];
  const blocks: string[] = [];
  const take = async (args: readonly string[], stdin?: string): Promise<string> => {
    const block = await shown(rig, args, stdin);
    blocks.push(block);
    return block;
  };
  await take(['ask', ...none, '--route', '--grant', 'read', 'is anything wrong, how is news?']);
  await take(['ask', ...none, '--route', '--grant', 'incidents-read', 'show me the log lines of news']);
  await take(['ask', ...none, '--route', '--grant', 'logs-read', 'show me the log lines of news']);
  server.answer = () => ({ text: `The process of news ended [${id}]. It may have been the power. See [inc-999].` });
  await take(['ask', '--verbose', '--tool', 'incidents', '--grant', 'incidents-read', 'what happened to news?']);
  await take(['ask', 'restart sport']);
  const proposed = await take(['ask', 'please restart news']);
  const approval = /reeve approve (apr-\w+)/.exec(proposed)?.[1] ?? '';
  await take(['approve', approval, '--because', 'nobody records from it now']);
  await until('it plays', () => rig.invocations('news') === 1 && rig.isPlaying('news'));
  await until('it is closed', async () => (await status()).incidents.length === 0);
  await take(['ask', ...none, '--route', '--grant', 'read', `what was done about ${id}, step by step?`]);
  server.answer = ({ body }) => ({
    text: `${(body.messages as unknown[]).length > 4 ? 'As I said, ann need not stay.' : 'News plays [channel:news].'}`,
  });
  const talk = ['ask', '--save-session', 'night', '--tool', 'health', '--grant', 'status-read'];
  await take(talk, 'does news play?\nand can I go to bed?\nexit\n');
  return blocks;
}

const blocks = await nightShift();
const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
const after = rest.slice(rest.indexOf(END));
const text = blocks.join('\n').replaceAll(/\/tmp\/reeve-rig-\w+/g, '/srv/reeve');
writeFileSync(PAGE, `${before}${BEGIN}\n\n\`\`\`console\n${text}\`\`\`\n\n${after}`);
process.exit(0);
