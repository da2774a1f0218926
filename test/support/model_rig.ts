/** A daemon whose channels, each in a group of its own, are helped by a model before the rules; all of them play. */
import { type Daemon, Rig, until } from './rig.ts';

export interface ModelRigOptions {
  readonly channels: readonly string[];
  readonly kind: 'ollama' | 'openai';
  readonly url: string;
  readonly model: string;
  readonly deadlineMs: number;
}

export async function openModelRig({ channels, kind, url, model, deadlineMs }: ModelRigOptions) {
  const rig = await Rig.open({
    channels,
    more: Object.fromEntries(channels.map((id) => [id, `group: of_${id}`])),
    config: `models: { servers: [{ id: local, kind: ${kind}, url: "${url}" }], primary: "local/${model}" }
planner: { mode: before_rules, deadline: ${deadlineMs}ms }
`,
  });
  const daemon: Daemon = await rig.run();
  const status = () => daemon.get<{ channels: { healthy: boolean | null }[] }>('/api/v1/status');
  await until('all play', async () => (await status()).channels.every(({ healthy }) => healthy === true));
  return { rig, daemon };
}
