import { Duration, Names, RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  type HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Permission } from '../src/api/identity.ts';
import { routes } from '../src/api/routes.ts';
import { scopesFor } from '../src/aws-identity.ts';
import type { AuthProps } from './props.ts';

export interface EndpointProps {
  readonly handler: IFunction;
  readonly auth: AuthProps;
  readonly logRetention: RetentionDays;
}

/** Requests a second over all callers, and how many at once: what the throttles of one API can hurt is bounded. */
const THROTTLE = { rateLimit: 100, burstLimit: 200 };

const STAGE = '$default';

/** An HTTP API with exactly the routes of the table: what is not in it is answered 404 by the gateway. */
export function createEndpoint(scope: Construct, { handler, auth, logRetention }: EndpointProps): HttpApi {
  const api = new HttpApi(scope, 'HttpApi', {
    createDefaultStage: false,
    apiName: Names.uniqueResourceName(scope, { maxLength: 120, separator: '-' }),
    description: 'Jobs, batches, approvals and operations of Treadle',
  });
  const logs = new LogGroup(scope, 'AccessLogs', {
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: STAGE,
    autoDeploy: true,
    throttle: THROTTLE,
    accessLogSettings: { destination: new LogGroupLogDestination(logs), format: accessLog },
  });
  // One permission for the API as a whole: a policy of a function holds about fifty of them.
  const integration = new HttpLambdaIntegration('Integration', handler, {
    scopePermissionToRoute: false,
    timeout: Duration.seconds(29),
  });
  const authorizer = authorizerOf(auth);
  for (const { operationId, path, method, permission } of routes) {
    new HttpRoute(scope, `Route-${operationId}`, {
      httpApi: api,
      routeKey: HttpRouteKey.with(path, method as HttpMethod),
      integration,
      authorizer,
      ...(auth.type === 'jwt' ? { authorizationScopes: [...scopesFor(permission)] } : {}),
    });
  }
  return api;
}

/**
 * Lets somebody call the routes that take one of these permissions. A route's own grant would not do: it cuts the path
 * at the first parameter, so that whoever may cancel a job could approve its calls.
 */
export function grantRoutes(api: HttpApi, caller: IGrantable, permissions: readonly Permission[]): Grant {
  const allowed = routes.filter(({ permission }) => permissions.includes(permission));
  const unknown = permissions.find((name) => !allowed.some(({ permission }) => permission === name));
  if (allowed.length === 0 || unknown !== undefined)
    throw new Error(
      `AgentWorker: grantCall takes ${[...new Set(routes.map(({ permission }) => permission))].join(', ')}, not ${unknown ?? 'nothing'}`,
    );
  return Grant.addToPrincipal({
    grantee: caller,
    actions: ['execute-api:Invoke'],
    resourceArns: allowed.map(({ method, path }) =>
      api.arnForExecuteApi(method, path.replaceAll(/\{\w+\}/g, '*'), STAGE),
    ),
  });
}

function authorizerOf(auth: AuthProps): IHttpRouteAuthorizer {
  switch (auth.type) {
    case 'iam':
      return new HttpIamAuthorizer();
    case 'jwt':
      return new HttpJwtAuthorizer('Jwt', auth.issuer, { jwtAudience: [...auth.audience] });
    default:
      return auth satisfies never;
  }
}

/** Who asked for which route with what outcome; nothing of the query or the body. */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTime',
    ip: '$context.identity.sourceIp',
    caller: '$context.identity.userArn',
    subject: '$context.authorizer.claims.sub',
    route: '$context.routeKey',
    status: '$context.status',
    error: '$context.error.responseType',
    bytes: '$context.responseLength',
    ms: '$context.responseLatency',
  }),
);
