/** An invalid task; the message and its kind are Puppet's (lib/puppet/module/task.rb). */
export class TaskError extends Error {
  /** Such as `puppet.tasks/invalid-metadata`. */
  readonly kind: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'TaskError';
    this.kind = `puppet.tasks/${kind}`;
    this.details = details;
  }
}
