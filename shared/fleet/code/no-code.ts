/** A server without any environment, in its log, its status and on the console. */
export const NO_CODE = 'No code is deployed, so agents get an error and change nothing';
