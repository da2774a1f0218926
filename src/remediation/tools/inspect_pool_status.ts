/** The tool that reads how full an engine's worker pool is. */
import { engineAt, OBSERVES, type Tool } from '../tool.ts';

export const inspectPoolStatus: Tool = {
  spec: {
    ...OBSERVES,
    name: 'inspect_pool_status',
    summary: "Reads how full the engine's worker pool is.",
    cooldownMs: 10_000,
    attemptsMax: 3,
    timeoutMs: 5_000,
    capability: 'pool',
    targets: ['channel', 'group', 'engine'],
    onMany: 'whole',
    engineWide: true,
  },
  async run(ports, target, context, of) {
    const { engine } = await engineAt(ports, target, of).observe(context.signal);
    const { poolPressure } = engine;
    const pressure = poolPressure === undefined ? 'not reported' : `${Math.round(poolPressure * 100)} %`;
    return `engine ${engine.ok ? 'answers' : `does not answer (${engine.failure})`}, pool ${pressure}`;
  },
  effect: undefined,
};
