import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedChannel, pathsIn, pulledChannel } from '../../demo/channels.ts';
import { reeveConfig } from '../../demo/reeve_config.ts';

const NAMES = {
  paths: pathsIn('/stage'),
  channels: [
    ...['gen1', 'gen2', 'gen3'].map((id) => generatedChannel(id, false)),
    pulledChannel('pull1', 'http://o/', true),
  ],
  ...{ supervisorUrl: 'http://s/RPC2', hlsUrl: 'http://h/hls', reevePort: 1, metricsPort: 2 },
  ...{ webhookUrl: 'http://w/', webhookSecretFile: '/secret', alertmanagerUrl: undefined, modelUrl: 'http://m/' },
};
type Rows = readonly { ids?: string[]; id?: string; logs: string[]; output?: object; source?: object }[];
const rowsOf = (text: string): Rows => (parse(text) as { channels: Rows }).channels;
const probedOf = (rows: Rows) =>
  rows.map(({ ids, id, output, source }) => [ids ?? id, output !== undefined, source !== undefined]);

describe('the configuration for a stage', () => {
  it('has every output looked at, and the source of what pulls', () => {
    const rows = rowsOf(reeveConfig(NAMES));
    expect(probedOf(rows)).toEqual([
      [['gen1', 'gen2', 'gen3'], true, false],
      ['pull1', true, true],
    ]);
  });

  it('follows the logs alone of channels whose output is not to be looked at', () => {
    const rows = rowsOf(reeveConfig(NAMES, { unwatched: ['gen2'] }));
    expect(probedOf(rows)).toEqual([
      [['gen1', 'gen3'], true, false],
      [['gen2'], false, false],
      ['pull1', true, true],
    ]);
    expect(rows[1]?.logs).toEqual(['/stage/log/{id}.err']);
  });
});
