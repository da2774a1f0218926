import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backtestFiles } from '../../src/app/backtest.ts';
import { policyTestFiles } from '../../src/app/policy_tests.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { aFolder } from '../config/support.ts';

const ENGINE = 'engines: [{ id: local, kind: supervisor, socket: /run/nowhere.sock }]\n';

/** What a backtest works with, over this configuration; undefined: none. */
function filesOf(yaml: string | undefined) {
  const cwd = aFolder(yaml === undefined ? {} : { 'reeve.yaml': `version: 1\n${yaml}` });
  const flags = yaml === undefined ? {} : { config: join(cwd, 'reeve.yaml') };
  return backtestFiles(policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd, env: {}, flags }));
}

describe('what a backtest works with', () => {
  it('is the configuration where it names channels', async () => {
    const files = await filesOf(`${ENGINE}channels: [{ id: news, engine: local }]\n`);
    expect(files.configuration?.config.channels.map(({ id }) => id)).toEqual(['news']);
    expect(files.settings).toBeDefined();
  });

  it('is the recording itself where the configuration names none, with the settings of the configuration', async () => {
    const files = await filesOf(ENGINE);
    expect(files.configuration).toBeUndefined();
    expect(files.settings).toBeDefined();
  });

  it('knows what the configured engines can do, and calls none of them', async () => {
    const files = await filesOf(`${ENGINE}channels: [{ id: news, engine: local }]\n`);
    expect(files.capabilities?.get('local')?.has('restart')).toBe(true);
  });

  it('knows no engine and no settings without a configuration', async () => {
    const files = await filesOf(undefined);
    expect([files.settings, files.capabilities?.size]).toEqual([undefined, 0]);
  });
});
