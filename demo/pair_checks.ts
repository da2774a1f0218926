/** Which faults are played together, and whether that ended as it should. */
import type { Asked } from './change_recorder.ts';
import type { Page } from './receiver.ts';
import type { StageOptions } from './stage.ts';

const KINDS = ['killed', 'crashed', 'frozen', 'crash_loop', 'bad_setting', 'refused'] as const;
type Kind = (typeof KINDS)[number];

/** One fault on one channel. */
export interface Fault {
  readonly kind: Kind;
  readonly channel: string;
  /** The supervisor starts the channel again itself when it ends. */
  readonly autorestart: boolean;
}

/** What was seen from outside while a pair was there. */
export interface Played {
  readonly fromMs: number;
  readonly pages: readonly Page[];
  /** Starts that Reeve asked of the supervisor. */
  readonly starts: readonly Asked[];
  /** After how long a channel that was down played again. */
  readonly playedMs: ReadonlyMap<string, number>;
}

interface Expected {
  /** A start cures it: it plays by then, in milliseconds. Undefined: a person must come. */
  readonly cureMs: number | undefined;
  readonly startsMax: number;
}

const CURE_MS = 45_000;

/** What the supervisor starts again itself needs no start by Reeve; what a start cannot cure needs a person. */
const expectedOf = ({ kind, autorestart }: Fault): Expected => {
  switch (kind) {
    case 'killed':
    case 'crashed':
      return { cureMs: CURE_MS, startsMax: autorestart ? 0 : 1 };
    case 'frozen':
      return { cureMs: CURE_MS, startsMax: 1 };
    case 'crash_loop':
      return { cureMs: undefined, startsMax: autorestart ? 0 : 3 };
    case 'bad_setting':
    case 'refused':
      return { cureMs: undefined, startsMax: 0 };
  }
};

/** Channels by kind: those without `autorestart`, and those with it. A channel is not used so often that it relapses. */
const CHANNELS: Readonly<Record<Kind, readonly [off: readonly string[], on: readonly string[]]>> = {
  killed: [['gen1', 'gen2'], ['gen7']],
  crashed: [['gen3', 'gen4'], ['gen8']],
  frozen: [['gen5', 'gen6'], ['gen9']],
  crash_loop: [['gen10', 'gen11', 'gen12'], ['gen13']],
  bad_setting: [['gen14', 'gen15'], ['gen16']],
  refused: [['pull1', 'pull2'], []],
};
const GENERATED = 16;
const PULLED = 2;

export const stageForPairs: StageOptions = {
  generated: GENERATED,
  pulled: PULLED,
  autorestart: Object.values(CHANNELS).flatMap(([, on]) => on),
};

/** The uses of a kind in order: by turns without `autorestart` and with it. */
export function faultsOf(kind: Kind): readonly Fault[] {
  const [off, on] = CHANNELS[kind];
  return off.flatMap((channel, at) => {
    const other = on[at];
    const first: Fault = { kind, channel, autorestart: false };
    return other === undefined ? [first] : [first, { kind, channel: other, autorestart: true }];
  });
}

/** Every two different kinds once; each kind takes its next channel each time. */
export function pairsOfFaults(): readonly (readonly [Fault, Fault])[] {
  const used = new Map<Kind, number>();
  const next = (kind: Kind): Fault => {
    const [count, all] = [used.get(kind) ?? 0, faultsOf(kind)];
    used.set(kind, count + 1);
    return all[count % all.length]!;
  };
  return KINDS.flatMap((one, at) => KINDS.slice(at + 1).map((other) => [next(one), next(other)] as const));
}

/** What did not go as it should; empty when all did. */
export function failuresOf(pair: readonly Fault[], { pages, starts, playedMs }: Played): readonly string[] {
  const others = starts.filter(({ channel }) => !pair.some((fault) => fault.channel === channel));
  return [
    ...pair.flatMap((fault) => {
      const { channel, kind } = fault;
      const { cureMs, startsMax } = expectedOf(fault);
      const count = starts.filter((one) => one.channel === channel).length;
      const tooMany =
        count > startsMax ? [`${channel} (${kind}) was started ${count} times, at most ${startsMax}`] : [];
      if (cureMs === undefined) return [...tooMany, ...(isPaged(pages, channel) ? [] : [`${channel} was not paged`])];
      const tookMs = playedMs.get(channel);
      const isBack = tookMs !== undefined && tookMs <= cureMs;
      return [...tooMany, ...(isBack ? [] : [`${channel} (${kind}) did not play within ${cureMs / 1_000} s`])];
    }),
    ...others.map(({ channel }) => `${channel} was started, and nothing was wrong with it`),
  ];
}

const isPaged = (pages: readonly Page[], channel: string): boolean =>
  pages.some(({ what, body }) => what === 'trigger' && new RegExp(`\\b${channel}\\b`).test(JSON.stringify(body)));
