/** Schemas of fields that several documents share. */
import { z } from 'zod';

export { ID_RULE, idField, PLACEHOLDER, textField, urlField, urlProblem } from '../../core/document/fields.ts';
export { type Address, isLoopback, listenField, parseAddress } from '../../core/document/address.ts';

/** The id of a persona. That it exists is checked when the personas are read. */
export const personaField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'the id of a persona: lower case letters, digits and _')
  .describe('The id of a persona.');

export const phaseField = z
  .int()
  .min(0)
  .max(4)
  .describe('0 watch only; 1 tools that look; 2 low risk; 3 restarts through the guard, one step; 4 the full loop.')
  .transform((phase) => phase as 0 | 1 | 2 | 3 | 4);
