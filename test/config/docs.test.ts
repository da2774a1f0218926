import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createEngines } from '../../src/engine/factory.ts';
import { ENGINE_KINDS } from '../../src/engine/documents.ts';
import { RECEIVER_KINDS } from '../../src/escalate/receivers/documents.ts';
import { loadText, problemLines } from './support.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const ENV = {
  WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  PAGERDUTY_KEY: 'R0123456789abcdefghijklmnopqrstu',
  SLACK_WEBHOOK: 'https://hooks.slack.com/services/T0/B0/x',
  SMTP_PASSWORD: 'x',
  NTFY_TOKEN: 'tk_x',
  SUPERVISOR_PASSWORD: 'x',
  ENGINE_TOKEN: 'x',
};

/** The blocks of YAML in a page. */
const examplesOf = (page: string): readonly string[] =>
  [...readFileSync(join(DOCS, page), 'utf8').matchAll(/```yaml\n(version: 1\n[\s\S]*?)```/g)].map(([, yaml]) => yaml!);

describe('README.md', () => {
  it('switches a model on in the configuration that it began with, wherever that lies', () => {
    const text = readFileSync(join(DOCS, '../README.md'), 'utf8');
    const [, added = '', file] = /^printf '([^']*)' >> (.*)$/m.exec(text) ?? [];
    const { config, problems } = loadText(`version: 1\n${added.replaceAll('\\n', '\n')}`);
    expect(problemLines(problems)).toEqual([]);
    expect([config?.planner.mode, file]).toEqual(['after_rules', '"$REEVE_CONFIG"']);
    expect(text).toContain('export REEVE_CONFIG=');
  });
});

describe('docs/receivers.md', () => {
  const text = readFileSync(join(DOCS, 'receivers.md'), 'utf8');

  it('shows every kind in its table, and no other', () => {
    const rows = [...text.matchAll(/^\| `([a-z]+)` \| (?:yes|no)/gm)].map(([, kind]) => kind);
    expect(rows.toSorted()).toEqual(RECEIVER_KINDS.toSorted());
  });

  it('has an example of every kind that reeve check accepts', () => {
    const [example] = examplesOf('receivers.md');
    const { config, problems } = loadText(example!, ENV);
    expect(problemLines(problems)).toEqual([]);
    expect(config?.receivers.map(({ kind }) => kind).toSorted()).toEqual(RECEIVER_KINDS.toSorted());
    expect(config?.routes).toHaveLength(3);
  });
});

describe('docs/engines.md', () => {
  const text = readFileSync(join(DOCS, 'engines.md'), 'utf8');
  const tables = text.split(/^\| `kind` .*$/m).slice(1);

  it('shows every kind in each of its tables, and no other', () => {
    const kindsOf = (table: string) =>
      [...table.split('\n\n')[0]!.matchAll(/^\| `([a-z]+)` /gm)].map(([, kind]) => kind);
    const rows = tables.flatMap((table) => kindsOf(table)).toSorted();
    expect(rows).toEqual(
      Array.from({ length: 3 }, () => ENGINE_KINDS)
        .flat()
        .toSorted(),
    );
  });

  it('has an example of every kind that reeve check accepts', () => {
    const loaded = examplesOf('engines.md').map((example) => loadText(example, ENV));
    expect(loaded.flatMap(({ problems }) => problemLines(problems))).toEqual([]);
    const kinds = loaded.flatMap(({ config }) => config?.engines.map(({ kind }) => kind) ?? []);
    expect([...new Set(kinds)].toSorted()).toEqual(ENGINE_KINDS.toSorted());
  });

  it('claims a capability exactly where the adapter has it', async () => {
    const example = examplesOf('engines.md').map((yaml) => loadText(yaml, ENV).config!);
    const engines = createEngines(
      example.flatMap(({ engines: documents }) => documents.map((document) => ({ document, channels: [] }))),
      { clock: systemClock, secret: () => 'x' },
    );
    const table = tables[0]!.split('\n\n')[0]!;
    for (const kind of ['supervisor', 'systemd', 'docker', 'exstreamtv']) {
      const [, ...cells] = new RegExp(`^\\| \`${kind}\` \\|(.*)\\|$`, 'm').exec(table)!;
      const claimed = cells[0]!.split('|').map((cell) => cell.trim().startsWith('yes'));
      const engine = [...engines.byId.values()].find((one) => one.kind === kind)!;
      const names = ['restart', 'logs', 'credentials', 'rebuild', 'cache', 'pool', 'viewers'] as const;
      expect(names.map((name) => engine.capabilities.has(name))).toEqual(claimed);
    }
    for (const engine of engines.byId.values()) {
      const alone = tables[2]!.split('\n').filter((row) => row.includes('`') && !row.endsWith('| – |'));
      expect([engine.kind, alone.some((row) => row.includes(`\`${engine.kind}\``))]).toEqual([
        engine.kind,
        engine.observeChannel !== undefined,
      ]);
    }
    await engines[Symbol.asyncDispose]();
  });
});
