/** The thread that reads bodies, for containers in AWS: their bundles have it beside them. */
import '../shared/http/body/body-thread.ts';
