/** Servers that the environment names in place of the stand-ins; an empty variable names none. */
export function namedServers(environment: Readonly<Record<string, string | undefined>>): {
  readonly sqsEndpoint?: string;
  readonly dynamodbEndpoint?: string;
} {
  const sqs = environment['AWS_ENDPOINT_URL_SQS'];
  const dynamodb = environment['AWS_ENDPOINT_URL_DYNAMODB'];
  return {
    ...(sqs ? { sqsEndpoint: sqs } : {}),
    ...(dynamodb ? { dynamodbEndpoint: dynamodb } : {}),
  };
}
