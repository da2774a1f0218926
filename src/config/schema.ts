/** Makes JSON Schemas of the documents for editors. */
import { z } from 'zod';
import { personaDocument, TOOL_ACCESS } from '../core/persona.ts';
import { TOOL_ALIASES, TOOL_NAMES } from '../core/tool.ts';
import { configDocument } from './document/document.ts';
import { compositeDocument, ruleDocument } from './rule_document.ts';

/** The documents of this room. Other rooms bring their own (pattern, policy, hint). */
export const OWN_DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  persona: personaDocument,
  config: configDocument,
  rule: ruleDocument,
  action: compositeDocument,
};

type JsonObject = { readonly [key: string]: unknown };

/** The JSON Schema (draft 7) of a document as people write it, for editors; undefined for an unknown kind. */
export function jsonSchemaOf(kind: string, more: Readonly<Record<string, z.ZodType>> = {}): JsonObject | undefined {
  const documents = { ...more, ...OWN_DOCUMENTS };
  const document = Object.hasOwn(documents, kind) ? documents[kind] : undefined;
  if (!document) return undefined;
  const schema = z.toJSONSchema(document, { target: 'draft-7', io: 'input' }) as JsonObject;
  return kind === 'persona' ? withTools(schema) : schema;
}

/** Names the tools one by one, so that an editor can offer them; a free key could only be refused later. */
function withTools(schema: JsonObject): JsonObject {
  const properties = schema.properties as Readonly<Record<string, JsonObject>>;
  const access = (tool: string) => ({ type: 'string', enum: TOOL_ACCESS, description: `What ${tool} may do.` });
  const names = [...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)];
  const { description } = properties.tool_access_policy ?? {};
  const policy = {
    description,
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, access(name)])),
    additionalProperties: false,
  };
  return { ...schema, properties: { ...properties, tool_access_policy: policy } };
}
