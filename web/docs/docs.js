window.SwaggerUIBundle({
  url: '/api/openapi.yaml',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  // The default would ask a third party to validate the contract.
  validatorUrl: null,
});
