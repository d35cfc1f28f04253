"""Results for Allure: `results` writes them into a folder with the model of allure-python-commons, an extra.

The descriptions of cases, in `labels` and `texts`, need no extra; the pytest plug-in uses them, too.
"""
