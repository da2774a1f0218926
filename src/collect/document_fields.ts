/** Keys that the documents of several collectors share. */
import { z } from 'zod';
import { idField, textField } from '../core/document/fields.ts';
import { HARMLESS_SYMPTOMS, SYMPTOMS, type SymptomKind } from '../core/symptom.ts';

export const tokenKeys = {
  token_env: textField.optional().describe('The environment variable that holds the token.'),
  token_file: textField.optional().describe('The file that holds the token; only its owner may read it.'),
};

/** What is trouble: saying that something is harmless is no use here. */
const TROUBLES = SYMPTOMS.filter((kind) => !HARMLESS_SYMPTOMS.has(kind)) as [SymptomKind, ...SymptomKind[]];
export const symptomField = z.enum(TROUBLES);
export const labelsField = z.array(z.string().min(1).max(100)).min(1).max(8);

export const channelField = idField('A configured channel.');
