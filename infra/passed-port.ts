import { Duration } from 'aws-cdk-lib';
import {
  type HealthCheck,
  type INetworkLoadBalancerTarget,
  type NetworkLoadBalancer,
  type NetworkTargetGroup,
  Protocol,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';

/** A port of the load balancer, and the containers that it passes connections to. */
interface PassedPort {
  /** Ids of the listener and of its target group. */
  readonly ids: readonly [listener: string, group: string];
  readonly port: number;
  readonly target: INetworkLoadBalancerTarget;
  /** Seconds in which connections end before a container is stopped. */
  readonly drainSeconds: number;
  readonly healthCheck: HealthCheck;
}

/** A load balancer, and whether it has public addresses. */
export interface Balancer {
  readonly loadBalancer: NetworkLoadBalancer;
  readonly isInternetFacing: boolean;
}

/**
 * Passes the connections of a port on, TLS unopened. A load balancer that gets public addresses is
 * another one, and a target group cannot have two: listeners and groups of each kind have ids of
 * their own, so that the new ones take over before the former go.
 */
export function passPort(
  { loadBalancer, isInternetFacing }: Balancer,
  { ids, port, target, drainSeconds, healthCheck }: PassedPort,
): NetworkTargetGroup {
  const [listener, group] = ids;
  return loadBalancer
    .addListener(isInternetFacing ? `${listener}Open` : listener, { port, protocol: Protocol.TCP })
    .addTargets(group, {
      port,
      protocol: Protocol.TCP,
      targets: [target],
      deregistrationDelay: Duration.seconds(drainSeconds),
      preserveClientIp: true,
      healthCheck: { interval: Duration.seconds(10), ...healthCheck },
    });
}
