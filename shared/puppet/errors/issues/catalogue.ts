import { CATALOG_ISSUES } from './catalog-issues.ts';
import { EVALUATION_ISSUES } from './evaluation-issues.ts';
import { FUNCTION_ISSUES } from './function-issues.ts';
import { HIERA_ISSUES } from './hiera-issues.ts';
import { LIMIT_ISSUES } from './limit-issues.ts';
import { ENVIRONMENT_ISSUES, LOADER_ISSUES } from './loader-issues.ts';
import { SYNTAX_ISSUES } from './syntax-issues.ts';
import { CONVERSION_ISSUES, OBJECT_TYPE_ISSUES, TYPE_ISSUES } from './type-issues.ts';
import { UNCODED_EVALUATION_ISSUES, UNCODED_LOOKUP_ISSUES } from './uncoded-issues.ts';
import { VALIDATION_ISSUES } from './validation-issues.ts';

/**
 * The catalogue of all issues of a compile. `ISSUES.UNKNOWN_VARIABLE({ name })` makes the issue
 * with its text. Each name occurs in one part only. Texts of Ruby itself are not included.
 */
export const ISSUES = {
  ...SYNTAX_ISSUES,
  ...VALIDATION_ISSUES,
  ...EVALUATION_ISSUES,
  ...UNCODED_EVALUATION_ISSUES,
  ...TYPE_ISSUES,
  ...OBJECT_TYPE_ISSUES,
  ...CONVERSION_ISSUES,
  ...CATALOG_ISSUES,
  ...LOADER_ISSUES,
  ...FUNCTION_ISSUES,
  ...HIERA_ISSUES,
  ...UNCODED_LOOKUP_ISSUES,
  ...ENVIRONMENT_ISSUES,
  ...LIMIT_ISSUES,
};
