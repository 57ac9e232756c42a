window.SwaggerUIBundle({
  url: '/api/openapi.yaml',
  dom_id: '#docs',
  deepLinking: true,
  // With all of some 150 operations open, the page stops at the first five.
  docExpansion: 'none',
  displayRequestDuration: true,
  // The default would ask a third party to validate the contract.
  validatorUrl: null,
});
