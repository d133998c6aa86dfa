import { EVALUATION_ISSUES } from './evaluation-issues.ts';
import { FUNCTION_ISSUES } from './function-issues.ts';
import { SYNTAX_ISSUES } from './syntax-issues.ts';
import { VALIDATION_ISSUES } from './validation-issues.ts';

/**
 * The catalogue of what a compile complains about: `ISSUES.UNKNOWN_VARIABLE({ name })` is the issue
 * with its text. Each name is in one part only. Texts of Ruby itself are not in it.
 */
export const ISSUES = {
  ...SYNTAX_ISSUES,
  ...VALIDATION_ISSUES,
  ...EVALUATION_ISSUES,
  ...FUNCTION_ISSUES,
};

/** The name of an entry. */
export type IssueName = keyof typeof ISSUES;
