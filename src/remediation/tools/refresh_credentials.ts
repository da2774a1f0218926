/** The tool that has an engine fetch new credentials for its sources. */
import { CURABLE_BY } from '../../core/classification.ts';
import { able, CHANGES, cured, engineAt, noProbe, notYet, type Tool } from '../tool.ts';
import { MINUTE_MS } from '../../core/duration.ts';

export const refreshCredentials: Tool = {
  spec: {
    ...CHANGES,
    name: 'refresh_credentials',
    summary: 'Has the engine fetch new credentials for its sources.',
    risk: 'low',
    idempotent: true,
    cooldownMs: MINUTE_MS,
    attemptsMax: 2,
    timeoutMs: 15_000,
    capability: 'credentials',
    cures: CURABLE_BY.credentials,
    settleMs: 500,
    verifyWithinMs: 30_000,
    targets: ['channel', 'group', 'engine'],
    onMany: 'whole',
    engineWide: true,
  },
  run: async (ports, target, context, engine) => able(engineAt(ports, target, engine), 'refreshCredentials')(context),
  effect: {
    by: 'probe',
    async check({ engine }, { terms, signal }) {
      if (engine?.probeCredentials === undefined) return noProbe(terms.call.tool);
      return (await engine.probeCredentials(signal)) ? cured('the credentials work') : notYet('the credentials fail');
    },
  },
  phrase: { verb: '(?:refresh|renew)', thing: '\\s+(?:credentials?|tokens?)' },
};
