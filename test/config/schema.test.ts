import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configDocument } from '../../src/config/document/document.ts';
import { jsonSchemaOf, OWN_DOCUMENTS } from '../../src/config/schema.ts';
import { personaDocument } from '../../src/core/persona.ts';
import { TOOL_NAMES } from '../../src/core/tool.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCHEMAS = join(ROOT, 'config/schemas');

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly [key: string]: unknown;
}

describe('jsonSchemaOf', () => {
  it.each(Object.keys(OWN_DOCUMENTS))('config/schemas/%s.schema.json is what `reeve schema` prints', (kind) => {
    const committed: unknown = JSON.parse(readFileSync(join(SCHEMAS, `${kind}.schema.json`), 'utf8'));
    expect(committed, `out of date: reeve schema ${kind} > config/schemas/${kind}.schema.json`).toEqual(
      jsonSchemaOf(kind),
    );
  });

  it('knows only the kinds that exist, and those that are handed to it', () => {
    expect(jsonSchemaOf('toString')).toBeUndefined();
    expect(jsonSchemaOf('pattern')).toBeUndefined();
    expect(jsonSchemaOf('pattern', { pattern: z.strictObject({ id: z.string() }) })).toMatchObject({
      required: ['id'],
    });
  });

  it('is draft 7 of what people write: strict, defaults optional, durations as text', () => {
    const schema = jsonSchemaOf('config') as Schema;
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required).toEqual(['version']);
    expect(Object.keys(schema.properties)).toEqual(Object.keys(configDocument.shape));
    expect(schema.properties.journal?.properties.keep).toMatchObject({
      type: 'string',
      pattern: '^[0-9]+(ms|s|m|h|d)$',
    });
    expect(JSON.stringify(schema)).not.toContain('"$ref"');
  });

  it('offers every tool in a persona, and nothing else', () => {
    const schema = jsonSchemaOf('persona') as Schema;
    const optional = new Set(['four_eyes']);
    expect(schema.required).toEqual(Object.keys(personaDocument.shape).filter((key) => !optional.has(key)));
    const policy = schema.properties.tool_access_policy;
    expect(Object.keys(policy?.properties ?? {})).toEqual([...TOOL_NAMES, 'refresh_plex_token']);
    expect(policy?.additionalProperties).toBe(false);
  });

  it('shows the bounds of each limit, with and without the risk', () => {
    const window = (jsonSchemaOf('config') as Schema).properties.limits?.properties.window_starts_max;
    expect(window?.description).toBe(
      'S2: starts per window, whoever began them. From 1 (strictest) to 10, with the risk accepted to 100.',
    );
    expect(window?.anyOf).toEqual([
      { type: 'integer', minimum: 1, maximum: 100 },
      expect.objectContaining({ required: ['value'], additionalProperties: false }),
    ]);
  });

  it('describes every key of the configuration and the persona that an editor can show', () => {
    const silent: string[] = [];
    const walk = (schema: Schema, path: string): void => {
      for (const [key, member] of Object.entries(schema.properties ?? {})) {
        const isPart = member.type === 'object' || member.type === 'array';
        const description = member.description ?? (path.includes('.') ? schema.description : undefined);
        if (!isPart && description === undefined) silent.push(`${path}.${key}`);
        if (member.properties) walk(member, `${path}.${key}`);
      }
    };
    walk(jsonSchemaOf('persona') as Schema, 'persona');
    walk(jsonSchemaOf('config') as Schema, 'config');
    expect(silent).toEqual([]);
  });

  it('every file that people edit begins with the schema that it follows', () => {
    const first = (path: string) => readFileSync(join(ROOT, path), 'utf8').split('\n')[0];
    for (const name of readdirSync(join(ROOT, 'personas'))) {
      expect(first(`personas/${name}`)).toBe('# yaml-language-server: $schema=../config/schemas/persona.schema.json');
    }
    expect(first('config/reeve.yaml')).toBe('# yaml-language-server: $schema=./schemas/config.schema.json');
    expect(first('config/examples/supervisor.yaml')).toBe(
      '# yaml-language-server: $schema=../schemas/config.schema.json',
    );
  });
});
