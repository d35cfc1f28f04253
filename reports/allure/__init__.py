"""Results for Allure: `results` writes them into a folder by the model of allure-python-commons, which is an extra.

What is said of a case, in `labels` and `texts`, needs no extra; the pytest plug-in says the same by it.
"""
