/** The X.509 library with what it needs to run; the only place that imports it. */
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
