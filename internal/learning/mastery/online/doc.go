// Package online has the small learners that learn from one outcome at a time: beliefs about single numbers, a logistic
// head with a belief about all its weights together, a moving average, and a mixture of predictors.
//
// None has a learning rate to tune: a belief is a normal distribution, each outcome narrows it (the Laplace
// approximation of Bayesian logistic regression, one Newton step an outcome), and a little noise keeps it from
// becoming deaf. mastery/recall and mastery/knowledge are made of these.
package online
