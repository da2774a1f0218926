/** Who answers in the learning run: a model that is right in 70 % of its answers, and a person once a day. */
import { HARMLESS_SYMPTOMS, SYMPTOMS, type SymptomKind } from '../../src/core/symptom.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../src/core/model.ts';
import { type Stream, streamOf } from '../../src/simulation/random_streams.ts';
import { TROUBLES, type Trouble } from './troubles.ts';

/** What is really wrong with a channel, for whoever must know. */
export type TruthOf = (channel: string) => Trouble | undefined;

const RIGHT = 0.7;
/** A model that reads what is recalled follows it so often, where it names one cure. */
const HEEDS = 0.95;

/** Scripted: draws whether it is right before it looks, so that the same seed gives the same luck. */
export function scriptedModel(seed: number, truthOf: TruthOf, onCall: () => void): Model {
  const stream = streamOf(seed, 'scripted model');
  return {
    name: 'scripted/70',
    async generate(request): Promise<ModelAnswer> {
      onCall();
      const text = request.purpose === 'pattern' ? naming(request, stream) : choosing(request, stream, truthOf);
      return { ok: true, reply: { text, model: '70', promptTokens: 900, replyTokens: 30, durationMs: 400 } };
    },
    embed: async () => undefined,
    list: async () => ['70'],
  };
}

const promptOf = ({ messages }: ModelRequest): string => messages.at(-1)?.content ?? '';

function choosing(request: ModelRequest, stream: Stream, truthOf: TruthOf): string {
  const prompt = promptOf(request);
  const isRight = stream.chance(RIGHT);
  const heeds = stream.chance(HEEDS);
  const choices = [...prompt.matchAll(/^(\d+): (\w+) /gm)].map(([, index, tool]) => ({
    index: Number(index),
    tool: tool!,
  }));
  const channel = /^channel_id: (\w+)/m.exec(prompt)?.[1] ?? '';
  const cure = truthOf(channel)?.cure;
  const right = choices.find(({ tool }) => tool === cure) ?? choices.find(({ tool }) => tool === 'escalate')!;
  const learned = heeds ? recalledCure(prompt, choices) : undefined;
  const others = choices.filter((one) => one !== right);
  const chosen = learned ?? (isRight ? right : stream.pick(others.length > 0 ? others : choices));
  const ids = [...prompt.matchAll(/^([se]\d+): /gm)].map(([, id]) => id!).slice(0, 2);
  return JSON.stringify({ choice: chosen.index, evidence_ids: ids, because_code: 'evidence_fits_tool' });
}

/** The one tool that is recalled to have cured this, where it is offered. */
function recalledCure(prompt: string, choices: readonly { readonly index: number; readonly tool: string }[]) {
  const cured = [...prompt.matchAll(/^recalled: .*: (\w+) cured it/gm)].map(([, tool]) => tool);
  const failed = [...prompt.matchAll(/^recalled: .*: (\w+) did not cure it/gm)].map(([, tool]) => tool);
  const sound = new Set(cured.filter((tool) => !failed.includes(tool)));
  return sound.size === 1 ? choices.find(({ tool }) => sound.has(tool)) : undefined;
}

const NAMES = SYMPTOMS.filter((symptom) => !HARMLESS_SYMPTOMS.has(symptom));

function naming(request: ModelRequest, stream: Stream): string {
  const prompt = promptOf(request);
  const isRight = stream.chance(RIGHT);
  const wrong: SymptomKind = stream.pick(NAMES);
  const lines = [...prompt.matchAll(/^(\d+): (".*")$/gm)].map(([, at, text]) => ({
    at: Number(at),
    text: JSON.parse(text!) as string,
  }));
  for (const { at, text } of lines) {
    const meant = TROUBLES.find(({ line, family }) => family === 'unknown_words' && isAlike(line!(1), text));
    if (meant?.means !== undefined) return JSON.stringify({ symptom: isRight ? meant.means : wrong, lines: [at] });
  }
  return JSON.stringify({ symptom: 'none', lines: [] });
}

const isAlike = (one: string, other: string): boolean => one.replaceAll(/\d+/g, '0') === other.replaceAll(/\d+/g, '0');
